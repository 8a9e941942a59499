public class Solution {
    static int sleeper(int n) throws InterruptedException {
        Thread.sleep(3_600_000);
        return n;
    }
}
