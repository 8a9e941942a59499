#include <string>
#include <tuple>

std::tuple<std::string, long long> swap(std::tuple<long long, std::string> pair) {
    return {std::get<1>(pair), std::get<0>(pair)};
}
