package main

func grid(points [][2]int) map[[2]int]int {
	counts := map[[2]int]int{}
	for _, point := range points {
		counts[point]++
	}
	return counts
}
