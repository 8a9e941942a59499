#include <cstdio>

int main() { std::printf("done"); }
