package main

import "unicode/utf8"

func count_characters(text string) int { return utf8.RuneCountInString(text) }
