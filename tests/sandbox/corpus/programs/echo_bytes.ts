function echo_bytes(data: Uint8Array): Uint8Array {
  return data;
}
