package main

import "strings"

func long_text(n int) string { return strings.Repeat("ab", n) }
