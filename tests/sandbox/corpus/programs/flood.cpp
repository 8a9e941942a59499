#include <cstdio>

long long flood(long long n) {
    for (;;) std::puts("flood flood flood flood flood flood flood flood");
}
