package main

import "sort"

func sort_texts(items []string) []string {
	sort.Strings(items)
	return items
}
