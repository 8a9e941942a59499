package main

import "math/big"

func echo_bigint(n *big.Int) *big.Int { return n }
