#include <bits/stdc++.h>
using namespace std;

map<pair<long long, long long>, long long> grid(vector<pair<long long, long long>> points) {
    map<pair<long long, long long>, long long> counts;
    for (auto point : points) ++counts[point];
    return counts;
}
