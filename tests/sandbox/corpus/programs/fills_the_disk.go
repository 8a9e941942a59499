package main

import "os"

func main() {
	file, err := os.Create("file")
	if err != nil {
		os.Exit(1)
	}
	block := make([]byte, 1<<20)
	for {
		if _, err := file.Write(block); err != nil {
			os.Exit(1)
		}
	}
}
