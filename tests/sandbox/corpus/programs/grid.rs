use std::collections::HashMap;

fn grid(points: &[(i64, i64)]) -> HashMap<(i64, i64), i64> {
    let mut counts = HashMap::new();
    for point in points {
        *counts.entry(*point).or_default() += 1;
    }
    counts
}
