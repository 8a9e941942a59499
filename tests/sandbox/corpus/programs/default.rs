fn default(value: Option<String>) -> String {
    value.unwrap_or_else(|| "none".to_string())
}
