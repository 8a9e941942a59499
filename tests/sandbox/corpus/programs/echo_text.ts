function echo_text(text: string): string {
  return text;
}
