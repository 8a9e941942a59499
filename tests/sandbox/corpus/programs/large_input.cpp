#include <bits/stdc++.h>
using namespace std;

long long large_input(vector<long long> items) { return accumulate(items.begin(), items.end(), 0LL); }
