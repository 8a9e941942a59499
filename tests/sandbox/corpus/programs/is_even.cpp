bool is_even(long long n) { return n % 2 == 0; }
