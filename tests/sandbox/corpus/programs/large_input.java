public class Solution {
    static long large_input(int[] items) {
        long total = 0;
        for (int item : items) {
            total += item;
        }
        return total;
    }
}
