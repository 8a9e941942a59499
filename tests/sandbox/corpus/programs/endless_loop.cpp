long long endless_loop(long long n) {
    for (volatile long long turn = 0;; ++turn) {
    }
    return n;
}
