import java.io.BufferedReader;
import java.io.InputStreamReader;

public class Main {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        long total = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            total += Long.parseLong(line);
        }
        System.out.println(total);
    }
}
