import java.util.Arrays;

public class Solution {
    static int[] sorts_in_place(int[] items) {
        Arrays.sort(items);
        return items;
    }
}
