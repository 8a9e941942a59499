fn another_function(n: i64) -> i64 {
    n
}
