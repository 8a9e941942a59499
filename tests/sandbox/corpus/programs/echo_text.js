function echo_text(text) {
  return text;
}
