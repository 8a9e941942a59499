import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class Solution {
    static String secret_file(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException error) {
            return "refused";
        }
    }
}
