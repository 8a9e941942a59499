fn large_input(items: Vec<i64>) -> i64 {
    items.iter().sum()
}
