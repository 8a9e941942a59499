#include <stdexcept>

long long raises(long long n) { throw std::invalid_argument("refused"); }
