package main

func multiply(a, b [][]float64) [][]float64 {
	product := make([][]float64, len(a))
	for i, row := range a {
		product[i] = make([]float64, len(b[0]))
		for j := range product[i] {
			for k, item := range row {
				product[i][j] += item * b[k][j]
			}
		}
	}
	return product
}
