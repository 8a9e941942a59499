fn exits_well(_n: i64) -> i64 {
    std::process::exit(0)
}
