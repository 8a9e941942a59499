print("done", end="")
