long long add_wrong(long long a, long long b) { return a - b; }
