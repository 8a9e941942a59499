public class Solution {
    static int broken_syntax(int n) {
        return (n;
    }
}
