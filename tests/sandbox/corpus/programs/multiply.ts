type Matrix = number[][];

function multiply(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => b[0].map((_, at) => row.reduce((sum, x, k) => sum + x * b[k][at], 0)));
}
