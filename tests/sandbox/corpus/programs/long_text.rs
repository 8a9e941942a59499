fn long_text(n: i64) -> String {
    "ab".repeat(n as usize)
}
