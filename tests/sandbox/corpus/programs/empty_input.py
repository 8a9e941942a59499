import sys

size = len(sys.stdin.buffer.read())
print(size if size else "empty")
