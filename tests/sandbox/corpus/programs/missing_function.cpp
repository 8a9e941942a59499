long long another_function(long long n) { return n; }
