public class Solution {
    static String default_(String value) {
        return value == null ? "none" : value;
    }
}
