package main

func decimal_sum(a, b float64) float64 { return a + b }
