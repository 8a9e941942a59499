#include <string>

std::string echo_text(std::string text) { return text; }
