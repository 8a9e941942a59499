package main

import "fmt"

func flood(n int) int {
	for {
		fmt.Println("a line that comes again and again, without end")
	}
}
