public class Solution {
    static double decimal_sum(double a, double b) {
        return a + b;
    }
}
