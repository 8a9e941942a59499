#include <bits/stdc++.h>
using namespace std;

vector<string> sort_texts(vector<string> items) {
    sort(items.begin(), items.end());
    return items;
}
