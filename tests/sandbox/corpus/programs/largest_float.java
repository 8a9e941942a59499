import java.util.Arrays;

public class Solution {
    static double largest_float(double[] items) {
        return Arrays.stream(items).max().getAsDouble();
    }
}
