fn secret_file(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|_| "refused".to_string())
}
