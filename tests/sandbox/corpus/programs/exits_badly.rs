fn exits_badly(_n: i64) -> i64 {
    std::process::exit(3)
}
