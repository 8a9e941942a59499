package main

func main() {
	for n := 0; ; n++ {
	}
}
