public class Solution {
    static int flood(int n) {
        while (true) {
            System.out.println("a line that comes again and again, without end");
        }
    }
}
