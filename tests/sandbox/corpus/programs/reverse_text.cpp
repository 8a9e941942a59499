#include <string>

std::string reverse_text(const std::string& text) {
    std::string reversed;
    std::size_t end = text.size();
    while (end > 0) {
        std::size_t start = end - 1;
        while ((text[start] & 0xC0) == 0x80) --start;
        reversed += text.substr(start, end - start);
        end = start;
    }
    return reversed;
}
