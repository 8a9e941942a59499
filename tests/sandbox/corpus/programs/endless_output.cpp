#include <iostream>

int main() {
    for (;;) std::cout << "again and again and again and again\n";
}
