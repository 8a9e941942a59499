package main

import "sort"

func sorts_in_place(items []int) []int {
	sort.Ints(items)
	return items
}
