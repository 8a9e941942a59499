#include <iostream>

int main() {
    long long product = 1;
    for (long long number; std::cin >> number;) product *= number;
    std::cout << product << '\n';
}
