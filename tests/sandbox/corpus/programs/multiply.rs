fn multiply(a: Vec<Vec<f64>>, b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let cell = |row: &Vec<f64>, column: usize| row.iter().zip(&b).map(|(left, other)| left * other[column]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|column| cell(row, column)).collect()).collect()
}
