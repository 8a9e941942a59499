def count_characters(text: str) -> int:
    return len(text)
