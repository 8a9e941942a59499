fn negative_zero(x: f64) -> f64 {
    -x
}
