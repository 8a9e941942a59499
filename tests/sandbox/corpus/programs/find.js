function find(items, wanted) {
  const index = items.indexOf(wanted);
  return index < 0 ? null : index;
}
