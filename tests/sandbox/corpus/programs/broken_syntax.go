package main

func broken_syntax(n int) int { return (n }
