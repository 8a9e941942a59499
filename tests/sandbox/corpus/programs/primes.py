def primes(n: int) -> list[int]:
    is_prime = [True] * n
    for p in range(2, n):
        if is_prime[p]:
            for multiple in range(p * p, n, p):
                is_prime[multiple] = False
    return [p for p in range(2, n) if is_prime[p]]
