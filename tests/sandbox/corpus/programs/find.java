public class Solution {
    static Integer find(int[] items, int wanted) {
        for (int i = 0; i < items.length; i++) {
            if (items[i] == wanted) {
                return i;
            }
        }
        return null;
    }
}
