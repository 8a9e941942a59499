import java.util.Scanner;

public class Main {
    public static void main(String[] arguments) throws Exception {
        Scanner numbers = new Scanner(System.in);
        System.out.println(numbers.nextLong() + numbers.nextLong());
    }
}
