use std::hint::black_box;

fn endless_recursion(n: i64) -> i64 {
    let work = black_box([n; 64]);
    endless_recursion(black_box(n + 1)) + work[(n & 63) as usize]
}
