import java.io.FileOutputStream;
import java.io.IOException;

public class Main {
    public static void main(String[] arguments) throws Exception {
        byte[] block = new byte[1 << 20];
        try (FileOutputStream file = new FileOutputStream("file")) {
            while (true) {
                file.write(block);
            }
        } catch (IOException error) {
            System.exit(1);
        }
    }
}
