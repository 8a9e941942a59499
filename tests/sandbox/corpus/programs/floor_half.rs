fn floor_half(n: i64) -> i64 {
    n.div_euclid(2)
}
