package main

import "math/big"

func factorial(n int) *big.Int {
	return new(big.Int).MulRange(1, int64(n))
}
