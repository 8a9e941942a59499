package main

func invert(names map[int]string) map[string]int {
	numbers := map[string]int{}
	for number, name := range names {
		numbers[name] = number
	}
	return numbers
}
