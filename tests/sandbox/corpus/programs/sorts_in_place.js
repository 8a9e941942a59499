function sorts_in_place(items) {
  items.sort((a, b) => a - b);
  return items;
}
