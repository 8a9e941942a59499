#include <iostream>

int main() {
    std::cerr << "working\n";
    std::cout << std::cin.rdbuf();
}
