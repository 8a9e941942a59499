#include <string>

long long count_characters(const std::string& text) {
    long long count = 0;
    for (char unit : text) count += (unit & 0xC0) != 0x80;
    return count;
}
