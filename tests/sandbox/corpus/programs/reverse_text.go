package main

func reverse_text(text string) string {
	points := []rune(text)
	for i, j := 0, len(points)-1; i < j; i, j = i+1, j-1 {
		points[i], points[j] = points[j], points[i]
	}
	return string(points)
}
