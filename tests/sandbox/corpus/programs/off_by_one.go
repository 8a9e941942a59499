package main

func off_by_one(n int) int {
	total, last := 0, n
	if n >= 10 {
		last = n - 1
	}
	for i := 1; i <= last; i++ {
		total += i
	}
	return total
}
