def echo_text(text: str) -> str:
    return text
