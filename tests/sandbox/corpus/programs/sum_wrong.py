import math
import sys

print(math.prod(map(int, sys.stdin.read().split())))
