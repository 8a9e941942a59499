function count_characters(text: string): number {
  return [...text].length;
}
