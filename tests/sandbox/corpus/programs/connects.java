import java.io.IOException;
import java.net.Socket;

public class Solution {
    static String connects(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return "connected";
        } catch (IOException error) {
            return "refused";
        }
    }
}
