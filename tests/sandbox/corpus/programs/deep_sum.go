package main

func deep_sum(n int) int {
	if n == 0 {
		return 0
	}
	return n + deep_sum(n-1)
}
