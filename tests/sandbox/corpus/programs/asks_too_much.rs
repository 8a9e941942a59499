fn asks_too_much(n: i64) -> i64 {
    let block = vec![1u8; (n as usize) << 40];
    i64::from(block[n as usize])
}
