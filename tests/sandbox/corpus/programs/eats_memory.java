import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class Main {
    public static void main(String[] arguments) throws Exception {
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            byte[] block = new byte[1 << 20];
            Arrays.fill(block, (byte) 1);
            kept.add(block);
        }
    }
}
