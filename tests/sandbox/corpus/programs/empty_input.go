package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	data, _ := io.ReadAll(os.Stdin)
	if len(data) == 0 {
		fmt.Println("empty")
		return
	}
	fmt.Println(len(data))
}
