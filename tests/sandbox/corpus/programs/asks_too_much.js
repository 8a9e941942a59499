function asks_too_much(n) {
  const bytes = new ArrayBuffer(2 ** 45);
  return bytes.byteLength > 0 ? n : 0;
}
