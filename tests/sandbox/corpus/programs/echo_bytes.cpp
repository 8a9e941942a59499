#include <cstdint>
#include <vector>

std::vector<std::uint8_t> echo_bytes(const std::vector<std::uint8_t>& data) { return data; }
