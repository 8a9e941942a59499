#include <fstream>

long long private_file(long long n) {
    std::ofstream("number.txt") << n;
    long long number = 0;
    std::ifstream("number.txt") >> number;
    return number;
}
