package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

func main() {
	total := 0
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		number, err := strconv.Atoi(lines.Text())
		if err != nil {
			panic(err)
		}
		total += number
	}
	fmt.Println(total)
}
