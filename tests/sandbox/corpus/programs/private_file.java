import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class Solution {
    static int private_file(int n) throws IOException {
        Files.writeString(Path.of("number.txt"), String.valueOf(n));
        return Integer.parseInt(Files.readString(Path.of("number.txt")));
    }
}
