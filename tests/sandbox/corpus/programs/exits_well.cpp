#include <cstdlib>

long long exits_well(long long n) { std::exit(0); }
