package main

import (
	"os"
	"strconv"
)

func private_file(n int) int {
	if err := os.WriteFile("number.txt", []byte(strconv.Itoa(n)), 0o600); err != nil {
		panic(err)
	}
	text, err := os.ReadFile("number.txt")
	if err != nil {
		panic(err)
	}
	number, err := strconv.Atoi(string(text))
	if err != nil {
		panic(err)
	}
	return number
}
