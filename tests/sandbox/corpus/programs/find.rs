fn find(items: Vec<i64>, wanted: i64) -> Option<usize> {
    items.iter().position(|item| *item == wanted)
}
