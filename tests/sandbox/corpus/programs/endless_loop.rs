fn endless_loop(n: i64) -> i64 {
    let mut turn = n;
    loop {
        turn = unsafe { std::ptr::read_volatile(&turn) }.wrapping_add(1);
    }
}
