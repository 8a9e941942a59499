def secret_file(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return "refused"
