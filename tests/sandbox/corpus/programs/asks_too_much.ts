function asks_too_much(n: number): number {
  const bytes = new ArrayBuffer(2 ** 40);
  for (let at = 0; at < bytes.byteLength; at += 4096) new Uint8Array(bytes, at, 1)[0] = n;
  return new Uint8Array(bytes, 4096, 1)[0];
}
