package main

func large_input(items []int) int {
	total := 0
	for _, item := range items {
		total += item
	}
	return total
}
