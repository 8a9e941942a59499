package main

import "fmt"

func main() {
	for {
		fmt.Println("a line that comes again and again, without end")
	}
}
