#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    long long sum = 0;
    for (long long number; cin >> number;) sum += number;
    cout << sum << '\n';
}
