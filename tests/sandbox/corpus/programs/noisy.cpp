#include <bits/stdc++.h>
using namespace std;

long long noisy(long long n) {
    for (int line = 0; line < 3; ++line) {
        cout << "line " << line << endl;
        cerr << "error " << line << endl;
        printf("more\n");
    }
    return n;
}
