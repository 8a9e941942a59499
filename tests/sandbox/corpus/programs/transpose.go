package main

func transpose(rows [][]int) [][]int {
	if len(rows) == 0 {
		return nil
	}
	columns := make([][]int, len(rows[0]))
	for _, row := range rows {
		for i, item := range row {
			columns[i] = append(columns[i], item)
		}
	}
	return columns
}
