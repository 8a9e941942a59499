import java.util.Arrays;
import java.util.List;

public class Solution {
    static List<String> sort_texts(List<String> items) {
        items.sort((a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray()));
        return items;
    }
}
