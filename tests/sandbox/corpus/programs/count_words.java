import java.util.HashMap;
import java.util.Map;

public class Solution {
    static Map<String, Integer> count_words(String text) {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : text.split(" ")) {
            if (!word.isEmpty()) {
                counts.merge(word, 1, Integer::sum);
            }
        }
        return counts;
    }
}
