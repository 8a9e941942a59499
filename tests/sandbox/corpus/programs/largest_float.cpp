#include <bits/stdc++.h>
using namespace std;

double largest_float(vector<double> items) { return *max_element(items.begin(), items.end()); }
