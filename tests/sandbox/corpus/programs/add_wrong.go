package main

func add_wrong(a, b int) int { return a - b }
