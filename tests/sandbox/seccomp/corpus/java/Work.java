import java.io.*;
import java.math.BigInteger;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Work {
    record Pair(int left, String right) {}

    static int dive(int depth) { return depth == 0 ? 0 : 1 + dive(depth - 1); }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        long total = in.lines().flatMap(line -> Arrays.stream(line.split(" "))).mapToLong(Long::parseLong).sum();
        System.out.println(total + " " + BigInteger.TWO.pow(2000).mod(BigInteger.valueOf(997)));
        int[] numbers = new Random(1).ints(2_000_000).toArray();
        Arrays.parallelSort(numbers);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        Future<Integer> answer = pool.submit(() -> { Thread.sleep(20); return 7; });
        System.out.println(answer.get() + " " + IntStream.range(0, 1000).parallel().sum());
        pool.shutdown();
        Path path = Files.createTempFile("work", ".txt");
        Files.writeString(path, "x".repeat(100_000));
        System.out.println(Files.readAllLines(path).size() + " " + Files.getLastModifiedTime(path).toMillis());
        Files.delete(path);
        List<byte[]> held = new ArrayList<>();
        for (int i = 0; i < 64; i++) held.add(new byte[1 << 20]);
        held.clear();
        System.gc();
        try { dive(10_000_000); } catch (StackOverflowError error) { System.out.println("deep"); }
        System.out.println(new Pair(1, "a") + String.format(" %.3f ", 1.5) + UUID.randomUUID().toString().length());
        System.out.println(CompletableFuture.supplyAsync(() -> 1).thenCombine(CompletableFuture.supplyAsync(() -> 2), Integer::sum).get());
        System.out.println(new ProcessBuilder("echo", "child").start().waitFor());
        System.out.println(Runtime.getRuntime().availableProcessors() > 0);
        System.out.println(java.time.LocalDateTime.now().getYear() > 2000);
        System.exit(3);
    }
}
