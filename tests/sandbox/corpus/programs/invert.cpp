#include <string>
#include <unordered_map>

std::unordered_map<std::string, long long> invert(const std::unordered_map<long long, std::string>& names) {
    std::unordered_map<std::string, long long> inverted;
    for (const auto& [number, name] : names) inverted[name] = number;
    return inverted;
}
