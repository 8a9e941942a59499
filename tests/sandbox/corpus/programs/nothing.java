public class Solution {
    static void nothing(int n) {

    }
}
