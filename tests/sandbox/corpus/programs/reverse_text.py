def reverse_text(text: str) -> str:
    return text[::-1]
