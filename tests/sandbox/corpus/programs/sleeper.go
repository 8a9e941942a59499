package main

import "time"

func sleeper(n int) int {
	time.Sleep(time.Hour)
	return n
}
