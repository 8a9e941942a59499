let count = 0;

function counter(n) {
  return ++count;
}
