fn noisy(n: i64) -> i64 {
    for line in 0..3 {
        println!("line {}", line);
        eprintln!("error {}", line);
    }
    n
}
