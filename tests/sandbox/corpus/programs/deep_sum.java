public class Solution {
    static long deep_sum(long n) {
        return n == 0 ? 0 : n + deep_sum(n - 1);
    }
}
