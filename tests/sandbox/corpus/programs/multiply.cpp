#include <bits/stdc++.h>
using namespace std;

vector<vector<double>> multiply(vector<vector<double>>& a, vector<vector<double>>& b) {
    vector<vector<double>> product(a.size(), vector<double>(b[0].size()));
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < b[0].size(); ++j)
            for (size_t k = 0; k < b.size(); ++k) product[i][j] += a[i][k] * b[k][j];
    return product;
}
