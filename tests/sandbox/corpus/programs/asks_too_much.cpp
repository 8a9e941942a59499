#include <vector>

long long asks_too_much(long long n) {
    std::vector<char> bytes(1ull << 40, 'x');
    return bytes[1ull << 39] == 'x' ? n : 0;
}
