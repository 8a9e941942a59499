#include <bits/stdc++.h>
using namespace std;

taskfoundry::BigInt factorial(long long n) {
    vector<int> digits{1};
    for (long long factor = 2; factor <= n; ++factor) {
        long long carry = 0;
        for (int& digit : digits) {
            carry += digit * factor;
            digit = static_cast<int>(carry % 10);
            carry /= 10;
        }
        for (; carry; carry /= 10) digits.push_back(static_cast<int>(carry % 10));
    }
    string text;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) text += static_cast<char>('0' + *digit);
    return text;
}
