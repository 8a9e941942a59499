fn not_a_number(x: f64) -> f64 {
    x / x
}
