import java.util.HashSet;
import java.util.List;
import java.util.Set;

public class Solution {
    static Set<Integer> unique(List<Integer> items) {
        return new HashSet<>(items);
    }
}
