#include <cstring>
#include <vector>

long long memory_hog(long long n) {
    std::vector<char*> kept;
    for (;;) {
        kept.push_back(new char[1 << 20]);
        std::memset(kept.back(), 1, 1 << 20);
    }
}
