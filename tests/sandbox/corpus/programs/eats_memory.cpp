#include <cstdlib>
#include <cstring>

int main() {
    for (;;) {
        char* piece = static_cast<char*>(std::malloc(1 << 20));
        if (piece) std::memset(piece, 1, 1 << 20);
    }
}
