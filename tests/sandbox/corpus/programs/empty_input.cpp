#include <bits/stdc++.h>
using namespace std;

int main() {
    string text(istreambuf_iterator<char>(cin), {});
    if (text.empty()) {
        cout << "empty\n";
    } else {
        cout << text.size() << '\n';
    }
}
