#include <bits/stdc++.h>
using namespace std;

map<string, long long> count_words(const string& text) {
    map<string, long long> counts;
    istringstream words(text);
    for (string word; words >> word;) ++counts[word];
    return counts;
}
