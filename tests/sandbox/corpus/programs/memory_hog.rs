fn memory_hog(_n: i64) -> i64 {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    loop {
        kept.push(vec![1; 1 << 20]);
    }
}
