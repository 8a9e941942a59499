package main

var count int

func counter(n int) int {
	count++
	return count
}
