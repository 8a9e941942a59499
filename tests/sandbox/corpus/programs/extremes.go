package main

import "math"

func extremes(n int64) []int64 { return []int64{math.MinInt64, math.MaxInt64} }
