let count = 0;

function counter(n: number): number {
  return ++count;
}
