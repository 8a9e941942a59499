fn endless_recursion(n: i64) -> i64 {
    let work = [n; 64];
    let place = unsafe { std::ptr::read_volatile(&work[(n & 63) as usize]) };
    endless_recursion(place + 1) + unsafe { std::ptr::read_volatile(&work[0]) }
}
