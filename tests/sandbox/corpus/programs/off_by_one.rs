fn off_by_one(n: i64) -> i64 {
    if n < 10 {
        (1..=n).sum()
    } else {
        (1..n).sum()
    }
}
