fn swap(pair: (i64, String)) -> (String, i64) {
    (pair.1, pair.0)
}
