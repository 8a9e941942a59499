package main

func raises(n int) int { panic("no") }
