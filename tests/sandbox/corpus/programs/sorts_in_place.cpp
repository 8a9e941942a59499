#include <bits/stdc++.h>
using namespace std;

vector<long long>& sorts_in_place(vector<long long>& items) {
    sort(items.begin(), items.end());
    return items;
}
