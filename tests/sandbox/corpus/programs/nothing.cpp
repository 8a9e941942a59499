void nothing(long long n) {}
