package main

func negative_zero(x float64) float64 { return -x }
