import sys

print("something else", file=sys.stderr)
print(input())
