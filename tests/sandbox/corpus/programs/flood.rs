fn flood(_n: i64) -> i64 {
    loop {
        println!("flood flood flood flood flood flood flood flood");
    }
}
