fn main() {
    let mut turn = 0u64;
    loop {
        turn = unsafe { std::ptr::read_volatile(&turn) }.wrapping_add(1);
    }
}
