package main

func another(n int) int { return n }
