fn large_output(n: i64) -> Vec<i64> {
    (0..n).collect()
}
