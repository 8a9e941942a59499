long long floor_half(long long n) { return n >> 1; }
