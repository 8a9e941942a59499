function compare(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = left[at].codePointAt(0)! - right[at].codePointAt(0)!;
    if (difference) return difference;
  }
  return left.length - right.length;
}

function sort_texts(items: string[]): string[] {
  return [...items].sort(compare);
}
