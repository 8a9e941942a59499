long long calls = 0;

long long counter(long long n) { return ++calls; }
