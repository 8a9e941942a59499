def default(value: str | None) -> str:
    return "none" if value is None else value
