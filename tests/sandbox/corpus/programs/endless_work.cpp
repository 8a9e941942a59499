int main() {
    for (volatile unsigned turn = 0;; ++turn) {
    }
}
