package main

import (
	"fmt"
	"os"
)

func noisy(n int) int {
	for i := 0; i < 10; i++ {
		fmt.Println("V1;T", i)
		fmt.Fprintln(os.Stderr, "warning", i)
	}
	return n
}
