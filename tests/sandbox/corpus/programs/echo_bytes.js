function echo_bytes(data) {
  return data;
}
