public class Solution {
    static String long_text(int n) {
        return "ab".repeat(n);
    }
}
