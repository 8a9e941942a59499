package main

func echo_bytes(data []byte) []byte { return data }
