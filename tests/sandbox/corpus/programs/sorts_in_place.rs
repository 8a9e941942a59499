fn sorts_in_place(items: &mut Vec<i64>) -> &Vec<i64> {
    items.sort();
    items
}
