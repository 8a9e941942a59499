function nothing(n) {}
