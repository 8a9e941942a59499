public class Main {
    public static void main(String[] arguments) throws Exception {
        System.err.println("a warning");
        System.in.transferTo(System.out);
        System.err.println("2");
    }
}
