#include <cstdlib>

long long aborts(long long n) { std::abort(); }
