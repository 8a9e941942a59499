public class Solution {
    static int exits_badly(int n) {
        System.exit(3);
        return n;
    }
}
