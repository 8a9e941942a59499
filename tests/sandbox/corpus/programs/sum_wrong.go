package main

import "fmt"

func main() {
	result := 1
	for {
		var number int
		if _, err := fmt.Scan(&number); err != nil {
			break
		}
		result *= number
	}
	fmt.Println(result)
}
