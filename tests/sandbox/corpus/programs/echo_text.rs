fn echo_text(text: String) -> String {
    text
}
