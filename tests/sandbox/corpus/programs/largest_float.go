package main

import "math"

func largest_float(items []float64) float64 {
	best := math.Inf(-1)
	for _, item := range items {
		best = math.Max(best, item)
	}
	return best
}
