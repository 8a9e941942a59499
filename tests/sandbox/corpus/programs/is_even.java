public class Solution {
    static boolean is_even(int n) {
        return n % 2 == 0;
    }
}
