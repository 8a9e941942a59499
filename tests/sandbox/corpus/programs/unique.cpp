#include <unordered_set>
#include <vector>

std::unordered_set<long long> unique(const std::vector<long long>& items) { return {items.begin(), items.end()}; }
