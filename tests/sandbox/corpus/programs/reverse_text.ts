function reverse_text(text: string): string {
  return [...text].reverse().join("");
}
