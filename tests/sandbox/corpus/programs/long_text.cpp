#include <string>

std::string long_text(long long n) {
    std::string text;
    for (long long i = 0; i < n; ++i) text += "ab";
    return text;
}
