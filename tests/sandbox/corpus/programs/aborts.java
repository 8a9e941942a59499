public class Solution {
    static int aborts(int n) {
        Runtime.getRuntime().halt(134);
        return n;
    }
}
