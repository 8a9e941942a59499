long long broken_syntax(long long n) { return (n + 1; }
