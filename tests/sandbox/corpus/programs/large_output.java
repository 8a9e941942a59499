import java.util.stream.IntStream;

public class Solution {
    static int[] large_output(int n) {
        return IntStream.range(0, n).toArray();
    }
}
