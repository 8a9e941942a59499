import sys

try:
    with open("endless.bin", "wb") as file:
        while True:
            file.write(b"x" * 65536)
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit(1)
