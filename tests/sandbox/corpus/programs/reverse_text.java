public class Solution {
    static String reverse_text(String text) {
        return new StringBuilder(text).reverse().toString();
    }
}
