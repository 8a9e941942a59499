#include <optional>
#include <string>

std::string default_(const std::optional<std::string>& value) { return value.value_or("none"); }
