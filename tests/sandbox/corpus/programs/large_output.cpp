#include <numeric>
#include <vector>

std::vector<long long> large_output(long long n) {
    std::vector<long long> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}
