public class Solution {
    static int count_characters(String text) {
        return text.codePointCount(0, text.length());
    }
}
