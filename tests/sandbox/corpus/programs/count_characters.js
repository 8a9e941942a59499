function count_characters(text) {
  return [...text].length;
}
