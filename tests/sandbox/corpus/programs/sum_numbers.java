import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        Scanner numbers = new Scanner(System.in);
        long result = 0;
        while (numbers.hasNextLong()) {
            result += numbers.nextLong();
        }
        System.out.println(result);
    }
}
