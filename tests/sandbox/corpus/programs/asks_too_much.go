package main

func asks_too_much(n int) int {
	block := make([]byte, n<<45)
	for i := range block {
		block[i] = 1
	}
	return int(block[n])
}
