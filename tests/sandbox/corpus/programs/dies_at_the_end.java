public class Main {
    public static void main(String[] arguments) throws Exception {
        System.in.transferTo(System.out);
        System.out.flush();
        Runtime.getRuntime().halt(134);
    }
}
