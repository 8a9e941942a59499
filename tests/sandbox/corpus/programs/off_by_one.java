public class Solution {
    static long off_by_one(long n) {
        long total = 0;
        for (long i = 1; i <= (n < 10 ? n : n - 1); i++) {
            total += i;
        }
        return total;
    }
}
