function largest_float(items) {
  return Math.max(...items);
}
