function default_(value) {
  return value ?? "none";
}
