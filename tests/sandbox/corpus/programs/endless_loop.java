public class Solution {
    static long endless_loop(long n) {
        while (n != 0) {
            n = n + 2 | 1;
        }
        return n;
    }
}
