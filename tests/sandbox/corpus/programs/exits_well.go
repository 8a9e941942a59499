package main

import "os"

func exits_well(n int) int {
	os.Exit(0)
	return n
}
