public class Solution {
    private static int count;

    static int counter(int n) {
        count++;
        return count;
    }
}
