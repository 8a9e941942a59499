fn sleeper(n: i64) -> i64 {
    std::thread::sleep(std::time::Duration::from_secs(3600));
    n
}
