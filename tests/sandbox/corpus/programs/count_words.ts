function count_words(text: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of text ? text.split(" ") : []) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
