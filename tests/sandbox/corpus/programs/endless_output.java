public class Main {
    public static void main(String[] arguments) throws Exception {
        while (true) {
            System.out.println("a line that comes again and again, without end");
        }
    }
}
