#include <vector>

long long asks_too_much(long long n) {
    std::vector<char> bytes(1ull << 45, 'x');
    return bytes[1ull << 44] == 'x' ? n : 0;
}
