public class Solution {
    static long add_wrong(long a, long b) {
        return a - b;
    }
}
