public class Solution {
    static int noisy(int n) {
        for (int i = 0; i < 10; i++) {
            System.out.println("V1;T " + i);
            System.err.println("warning " + i);
        }
        return n;
    }
}
