public class Solution {
    static int floor_half(int n) {
        return Math.floorDiv(n, 2);
    }
}
