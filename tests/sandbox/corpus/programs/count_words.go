package main

import "strings"

func count_words(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Split(text, " ") {
		if word != "" {
			counts[word]++
		}
	}
	return counts
}
