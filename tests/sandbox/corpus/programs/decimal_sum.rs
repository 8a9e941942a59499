fn decimal_sum(a: f64, b: f64) -> f64 {
    a + b
}
