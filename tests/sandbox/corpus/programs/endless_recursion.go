package main

var steps int

func endless_recursion(n int) int {
	steps += n
	return endless_recursion(n+1) + steps
}
