public class Solution {
    private static long steps;

    static long endless_recursion(long n) {
        steps += n;
        return endless_recursion(n + 1) + steps;
    }
}
