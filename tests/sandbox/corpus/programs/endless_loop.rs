fn endless_loop(n: i64) -> i64 {
    let mut turn = n;
    loop {
        turn = std::hint::black_box(turn.wrapping_add(1));
    }
}
