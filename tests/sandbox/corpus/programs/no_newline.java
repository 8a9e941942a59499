public class Main {
    public static void main(String[] arguments) throws Exception {
        System.out.print("done");
    }
}
