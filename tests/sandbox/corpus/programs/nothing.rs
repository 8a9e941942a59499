fn nothing(_n: i64) {}
