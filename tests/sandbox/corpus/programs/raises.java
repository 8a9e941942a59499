public class Solution {
    static int raises(int n) {
        throw new IllegalArgumentException("no");
    }
}
