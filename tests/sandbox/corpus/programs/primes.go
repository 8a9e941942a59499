package main

func primes(n int) []int {
	composite := make([]bool, n)
	found := []int{}
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		found = append(found, i)
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return found
}
