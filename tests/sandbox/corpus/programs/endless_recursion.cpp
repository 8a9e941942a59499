long long endless_recursion(long long n) {
    volatile char work[512];
    work[n & 511] = static_cast<char>(n);
    return endless_recursion(n + 1) + work[n & 511];
}
