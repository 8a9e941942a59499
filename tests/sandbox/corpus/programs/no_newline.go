package main

import "fmt"

func main() { fmt.Print("done") }
