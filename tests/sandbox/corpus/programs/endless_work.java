public class Main {
    public static void main(String[] arguments) throws Exception {
        long n = 1;
        while (n != 0) {
            n = n + 2 | 1;
        }
        System.out.println(n);
    }
}
