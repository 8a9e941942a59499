fn largest_float(items: Vec<f64>) -> f64 {
    items.into_iter().fold(f64::NEG_INFINITY, f64::max)
}
