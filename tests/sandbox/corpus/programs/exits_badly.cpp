#include <cstdlib>

long long exits_badly(long long n) { std::exit(3); }
