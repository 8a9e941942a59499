// Hostile program in Java. The first line of standard input names what to try, the others are its arguments. What Java
// can't do itself it has the shell or the Python of the sandbox do.
import java.io.*;
import java.net.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;

public class Main {
    static final int MEGABYTE = 1 << 20;
    static final String PYTHON = "/opt/python/bin/python3";
    static final String EXECUTE = """
        import ctypes, sys
        library = ctypes.CDLL(None, use_errno=True)
        for call in sys.stdin:
            name, *words = call.split()
            texts = [ctypes.create_string_buffer(bytes.fromhex(word[1:]), 256) if word[0] == "x" else None for word in words]
            values = [ctypes.c_long(int(word)) if text is None else text for word, text in zip(words, texts)]
            failed = library.syscall(*values) == -1
            print(*(("refused", name, ctypes.get_errno()) if failed else ("allowed", name)), flush=True)
        """;
    static final String TAKE = "import time; held = bytearray(b'y') * (100 << 20); time.sleep(5)";

    interface Act { void run() throws Exception; }

    static boolean attempt(Act act) {
        try {
            act.run();
            return true;
        } catch (Exception error) {
            return false;
        }
    }

    static Process start(String... command) throws IOException {
        return new ProcessBuilder(command).redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    static void shell(String command) throws Exception { start("/bin/sh", "-c", command).waitFor(); }

    static void sleep(long seconds) throws Exception { Thread.sleep(1000 * seconds); }

    static void flood(int stream) throws Exception {
        byte[] text = new byte[65536];
        OutputStream out = new FileOutputStream(stream == 1 ? FileDescriptor.out : FileDescriptor.err);
        while (true) out.write(text);
    }

    static void fill(String path) throws IOException {
        byte[] text = new byte[MEGABYTE];
        try (OutputStream out = new FileOutputStream(path)) {
            for (int turn = 0; turn < 10240; turn++) out.write(text);
        }
    }

    static void forkBomb() { while (true) attempt(() -> start("/bin/sh", "-c", "sleep 600")); }

    static void threadBomb() {
        while (true) {
            Thread thread = new Thread(() -> attempt(() -> sleep(600)), "bomb");
            thread.setDaemon(true);
            thread.start();
        }
    }

    static void manyFiles() throws IOException {
        for (int number = 0; number < 300000; number++) new FileOutputStream("" + number).close();
    }

    static void memoryHog() {
        List<byte[]> held = new ArrayList<>();
        while (true) {
            byte[] part = new byte[10 * MEGABYTE];
            Arrays.fill(part, (byte) held.size());
            held.add(part);
        }
    }

    static void memoryOfChildren() throws Exception {
        List<Process> children = new ArrayList<>();
        for (int child = 0; child < 8; child++) children.add(start(PYTHON, "-I", "-S", "-c", TAKE));
        for (Process child : children) child.waitFor();
    }

    static void deafLoop() throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) Thread.onSpinWait(); }));
        for (long turn = 0; ; turn++) Thread.onSpinWait();
    }

    static void stopped() throws Exception {
        shell("kill -STOP 0");
        sleep(600);
    }

    static void killEverything() throws Exception {
        shell("prlimit --pid 1 --nofile=1:1 --cpu=1:1; renice 19 1");
        long own = ProcessHandle.current().pid();
        ProcessHandle.allProcesses().filter(each -> each.pid() != own).forEach(each -> attempt(each::destroyForcibly));
        shell("kill -9 1; kill -9 $PPID; kill -9 -1");
    }

    static void reach(String target) throws Exception {
        String[] parts = target.split(" ");
        int port = Integer.parseInt(parts[2]);
        if (parts[0].equals("unix")) {
            SocketChannel.open(UnixDomainSocketAddress.of(parts[1])).close();
        } else if (parts[0].equals("udp")) {
            DatagramSocket made = new DatagramSocket();
            made.send(new DatagramPacket(new byte[1], 1, InetAddress.getByName(parts[1]), port));
            return;
        } else {
            new Socket().connect(new InetSocketAddress(parts[1], port), 300);
        }
        System.out.println("connected " + target);
    }

    static void show(Path path) {
        attempt(() -> {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) return;
            try (InputStream in = Files.newInputStream(path)) {
                System.out.println(path + ": " + new String(in.readNBytes(65536), "ISO-8859-1"));
            }
        });
    }

    static void walk(Path folder) {
        File[] entries = folder.toFile().listFiles();
        if (entries == null) return;
        for (File entry : entries) {
            boolean isFolder = Files.isDirectory(entry.toPath(), LinkOption.NOFOLLOW_LINKS);
            if (isFolder) walk(entry.toPath()); else show(entry.toPath());
        }
    }

    static void secrets(List<String> paths) {
        System.out.println(System.getenv());
        for (File process : new File("/proc").listFiles()) {
            if (!Character.isDigit(process.getName().charAt(0))) continue;
            for (String part : List.of("environ", "cmdline")) show(process.toPath().resolve(part));
        }
        for (String path : paths) {
            if (Files.exists(Path.of(path), LinkOption.NOFOLLOW_LINKS)) System.out.println("exists " + path);
            show(Path.of(path));
        }
        Set<String> skipped = Set.of("bin", "boot", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin", "sys", "usr");
        for (File root : new File("/").listFiles()) if (!skipped.contains(root.getName())) walk(root.toPath());
        for (String root : List.of("/opt/runner", "/proc/1/cwd", "/proc/1/root/tmp")) walk(Path.of(root));
        System.out.println("end of search");
    }

    static void writesOutside(List<String> words) {
        String mark = words.get(0);
        for (String word : words.subList(1, words.size())) {
            String kind = word.split(" ")[0];
            Path path = Path.of(word.split(" ")[1] + (kind.equals("folder") ? "/" + mark : ""));
            OpenOption[] create = {StandardOpenOption.CREATE, StandardOpenOption.APPEND};
            attempt(() -> {
                if (kind.equals("open")) Files.newOutputStream(path, StandardOpenOption.WRITE).close();
                else Files.write(path, mark.getBytes(), create);
                System.out.println("wrote " + path);
            });
            if (kind.equals("file")) attempt(() -> Files.delete(path));
        }
    }

    static void forbiddenCalls(List<String> calls) throws Exception {
        Process made = new ProcessBuilder(PYTHON, "-I", "-S", "-c", EXECUTE).redirectErrorStream(true).start();
        try (OutputStream out = made.getOutputStream()) {
            out.write(String.join("\n", calls).getBytes());
        }
        System.out.print(new String(made.getInputStream().readAllBytes()));
        System.out.println("end of calls");
    }

    static void leavesTraps(List<String> paths) throws Exception {
        for (int number = 0; number < paths.size(); number++) {
            Files.createSymbolicLink(Path.of("link" + number), Path.of(paths.get(number)));
        }
        try (RandomAccessFile holes = new RandomAccessFile("holes", "rw")) {
            holes.setLength(1L << 40);
        }
        shell("mkfifo pipe /tmp/pipe; cp -r /proc/self/fdinfo /dev/shm/; mkdir -p closed/inner; chmod 0 closed");
        shell("i=0; while [ $i -lt 400 ]; do mkdir deep; cd -P deep; i=$((i + 1)); done");
        System.out.println("traps are set");
    }

    static void runsPython(List<String> lines) throws Exception {
        String script = String.join("\n", lines);
        System.exit(new ProcessBuilder(PYTHON, "-I", "-S", "-B", "-c", script).inheritIO().start().waitFor());
    }

    public static void main(String[] arguments) throws Exception {
        List<String> lines = new BufferedReader(new InputStreamReader(System.in)).lines().toList();
        List<String> words = lines.subList(1, lines.size());
        switch (lines.get(0)) {
            case "honest" -> System.out.println("still here");
            case "fork_bomb" -> forkBomb();
            case "shell_fork_bomb" -> start("/bin/bash", "-c", ":(){ :|:& };:; sleep 600").waitFor();
            case "thread_bomb" -> threadBomb();
            case "output_flood" -> flood(1);
            case "error_flood" -> flood(2);
            case "huge_file" -> fill("big");
            case "fills_every_folder" -> {
                for (String folder : words) attempt(() -> fill(folder + "/big"));
                System.exit(1);
            }
            case "many_files" -> manyFiles();
            case "memory_hog" -> memoryHog();
            case "memory_of_children" -> memoryOfChildren();
            case "deaf_loop" -> deafLoop();
            case "sleeper" -> sleep(600);
            case "stopped" -> stopped();
            case "daemon" -> {
                start("/bin/sh", "-c", "trap '' TERM HUP; (setsid sleep 600 &) ; while :; do sleep 1; done");
                System.out.println("parent is done");
            }
            case "kills_everything" -> killEverything();
            case "connects" -> words.forEach(target -> attempt(() -> reach(target)));
            case "secrets" -> secrets(words);
            case "writes_outside" -> writesOutside(words);
            case "forbidden_calls" -> forbiddenCalls(words);
            case "leaves_traps" -> leavesTraps(words);
            case "runs_python" -> runsPython(words);
            default -> throw new IllegalArgumentException(lines.get(0));
        }
    }
}
