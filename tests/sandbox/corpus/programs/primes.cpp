class Sieve {
public:
    vector<bool> composite;
    explicit Sieve(long long n) : composite(n) {}
};

vector<long long> primes(long long n) {
    Sieve sieve(n);
    vector<long long> found;
    for (long long number = 2; number < n; ++number) {
        if (sieve.composite[number]) continue;
        found.push_back(number);
        for (long long multiple = number * number; multiple < n; multiple += number) sieve.composite[multiple] = true;
    }
    return found;
}
