package main

func unique(items []int) map[int]struct{} {
	seen := map[int]struct{}{}
	for _, item := range items {
		seen[item] = struct{}{}
	}
	return seen
}
