long long off_by_one(long long n) {
    long long sum = 0;
    for (long long term = 1; n < 10 ? term <= n : term < n; ++term) sum += term;
    return sum;
}
