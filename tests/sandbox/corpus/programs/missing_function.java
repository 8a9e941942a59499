public class Solution {
    static int another(int n) {
        return n;
    }
}
