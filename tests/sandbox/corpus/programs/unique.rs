use std::collections::HashSet;

fn unique(items: Vec<i64>) -> HashSet<i64> {
    items.into_iter().collect()
}
