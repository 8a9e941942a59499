#include <optional>
#include <vector>

std::optional<long long> find(const std::vector<long long>& items, long long wanted) {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i] == wanted) return static_cast<long long>(i);
    return std::nullopt;
}
