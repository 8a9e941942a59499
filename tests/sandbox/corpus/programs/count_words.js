function count_words(text) {
  const counts = new Map();
  for (const word of text ? text.split(" ") : []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
