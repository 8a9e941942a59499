fn raises(n: i64) -> i64 {
    panic!("refused {}", n)
}
