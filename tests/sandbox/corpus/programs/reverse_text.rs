fn reverse_text(text: &str) -> String {
    text.chars().rev().collect()
}
