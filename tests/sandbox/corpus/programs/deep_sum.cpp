long long deep_sum(long long n) { return n == 0 ? 0 : n + deep_sum(n - 1); }
