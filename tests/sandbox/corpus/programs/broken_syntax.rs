fn broken_syntax(n: i64) -> i64 {
    (n + 1
}
