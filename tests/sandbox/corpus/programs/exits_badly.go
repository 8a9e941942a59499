package main

import "os"

func exits_badly(n int) int {
	os.Exit(3)
	return n
}
