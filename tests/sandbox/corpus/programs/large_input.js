function large_input(items) {
  let sum = 0;
  for (const item of items) sum += item;
  return sum;
}
