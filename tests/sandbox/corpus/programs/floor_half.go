package main

func floor_half(n int) int { return n >> 1 }
