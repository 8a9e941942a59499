def private_file(n: int) -> int:
    with open("number.txt", "w") as file:
        file.write(str(n))
    with open("number.txt") as file:
        return int(file.read())
