def factorial(n: int) -> int:
    product = 1
    for factor in range(2, n + 1):
        product *= factor
    return product
