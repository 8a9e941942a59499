public class Solution {
    static double not_a_number(double x) {
        return x / x;
    }
}
