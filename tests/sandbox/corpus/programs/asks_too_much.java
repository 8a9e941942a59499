public class Solution {
    static int asks_too_much(int n) {
        long[] block = new long[Integer.MAX_VALUE - 8];
        return block.length > 0 ? n : 0;
    }
}
