package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "a warning")
	io.Copy(os.Stdout, os.Stdin)
	fmt.Fprintln(os.Stderr, "2")
}
