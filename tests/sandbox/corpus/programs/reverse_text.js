function reverse_text(text) {
  return [...text].reverse().join("");
}
