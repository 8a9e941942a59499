function transpose(rows: number[][]): number[][] {
  return (rows[0] ?? []).map((_, at) => rows.map((row) => row[at]));
}
