import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class Solution {
    static int memory_hog(int n) {
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            byte[] block = new byte[1 << 20];
            Arrays.fill(block, (byte) 1);
            kept.add(block);
        }
    }
}
