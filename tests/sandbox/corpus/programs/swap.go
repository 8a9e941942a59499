package main

type pair struct {
	number int
	name   string
}

func swap(given pair) (string, int) { return given.name, given.number }
