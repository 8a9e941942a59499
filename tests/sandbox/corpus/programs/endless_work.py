n = 1
while True:
    n = n * 3 % 1000 + 1
