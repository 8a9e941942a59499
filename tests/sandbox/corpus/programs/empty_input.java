public class Main {
    public static void main(String[] arguments) throws Exception {
        int size = System.in.readAllBytes().length;
        System.out.println(size == 0 ? "empty" : String.valueOf(size));
    }
}
