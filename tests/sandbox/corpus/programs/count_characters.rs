fn count_characters(text: String) -> i64 {
    text.chars().count() as i64
}
