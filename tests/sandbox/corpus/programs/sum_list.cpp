#include <bits/stdc++.h>
using namespace std;

long long sum_list(const vector<long long>& items) { return accumulate(items.begin(), items.end(), 0LL); }
