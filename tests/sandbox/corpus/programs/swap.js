function swap([first, second]) {
  return [second, first];
}
