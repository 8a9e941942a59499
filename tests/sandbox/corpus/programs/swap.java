import java.util.List;

public class Solution {
    record Given(int number, String name) {}

    static List<Object> swap(Given pair) {
        return List.of(pair.name(), pair.number());
    }
}
