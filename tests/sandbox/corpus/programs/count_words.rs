use std::collections::HashMap;

fn count_words(text: &str) -> HashMap<String, i64> {
    let mut counts = HashMap::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    counts
}
