public class Solution {
    static double negative_zero(double x) {
        return -x;
    }
}
