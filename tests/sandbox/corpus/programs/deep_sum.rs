fn deep_sum(n: i64) -> i64 {
    if n == 0 {
        0
    } else {
        n + deep_sum(n - 1)
    }
}
