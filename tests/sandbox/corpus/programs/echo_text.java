public class Solution {
    static String echo_text(String text) {
        return text;
    }
}
