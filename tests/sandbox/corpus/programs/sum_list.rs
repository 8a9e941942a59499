fn sum_list(items: &[i64]) -> i64 {
    items.iter().sum()
}
