#include <fstream>
#include <sstream>
#include <string>

std::string secret_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) return "refused";
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}
