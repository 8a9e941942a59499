fn sort_texts(mut items: Vec<String>) -> Vec<String> {
    items.sort();
    items
}
