package main

func nothing(n int) {}
