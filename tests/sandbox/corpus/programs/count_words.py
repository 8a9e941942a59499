def count_words(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in text.split(" ") if text else []:
        counts[word] = counts.get(word, 0) + 1
    return counts
