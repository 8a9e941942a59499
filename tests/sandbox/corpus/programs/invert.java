import java.util.Map;
import java.util.TreeMap;

public class Solution {
    static Map<String, Long> invert(Map<Long, String> names) {
        Map<String, Long> numbers = new TreeMap<>();
        names.forEach((number, name) -> numbers.put(name, number));
        return numbers;
    }
}
