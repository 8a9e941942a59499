package main

func asks_too_much(n int) int {
	block := make([]byte, n<<40)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	return int(block[n])
}
