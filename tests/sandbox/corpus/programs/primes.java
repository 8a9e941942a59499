import java.util.ArrayList;
import java.util.List;

public class Solution {
    static List<Integer> primes(int n) {
        boolean[] composite = new boolean[n];
        List<Integer> found = new ArrayList<>();
        for (int i = 2; i < n; i++) {
            if (!composite[i]) {
                found.add(i);
                for (int j = i * i; j < n; j += i) {
                    composite[j] = true;
                }
            }
        }
        return found;
    }
}
