import java.util.List;

public class Solution {
    static long sum_list(List<Integer> items) {
        long total = 0;
        for (int item : items) {
            total += item;
        }
        return total;
    }
}
