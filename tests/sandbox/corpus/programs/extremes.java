public class Solution {
    static long[] extremes(long n) {
        return new long[] {Long.MIN_VALUE, Long.MAX_VALUE};
    }
}
