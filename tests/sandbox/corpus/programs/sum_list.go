package main

func sum_list(items []int64) int64 {
	var total int64
	for _, item := range items {
		total += item
	}
	return total
}
