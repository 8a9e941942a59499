package main

func find(items []int, wanted int) *int {
	for i, item := range items {
		if item == wanted {
			return &i
		}
	}
	return nil
}
