function unique(items) {
  return new Set(items);
}
