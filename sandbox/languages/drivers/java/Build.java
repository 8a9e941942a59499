package taskfoundry;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles solution.java, whatever its public class is called, and writes how it is started. Arguments: none for a
 * program with a main method; otherwise class (or an empty text), method, and the kinds.
 */
public final class Build {
    private static final Path CLASSES = Path.of("classes");

    private Build() {}

    public static void main(String[] arguments) throws Exception {
        try {
            Files.createDirectories(CLASSES);
            if (!compile()) {
                System.exit(1);
            }
            List<String> words = arguments.length == 0 ? List.of(mainClass()) : functionWords(arguments);
            Files.writeString(CLASSES.resolve("start.args"), String.join("\n", words.stream().map(Build::quote).toList()));
        } catch (Mismatch mismatch) {
            System.err.println("solution.java: " + mismatch.getMessage());
            System.exit(1);
        }
    }

    private static boolean compile() throws IOException {
        String source = new String(Files.readAllBytes(Path.of("solution.java")), StandardCharsets.UTF_8);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options = List.of("-proc:none", "-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-g:lines",
                "-cp", "classes", "-d", "classes", "-implicit:none", "-Xmaxerrs", "20");
        StringWriter said = new StringWriter();
        boolean isGood = compiler.getTask(said, null, null, options, null, List.of(new Source(source))).call();
        if (!isGood) {
            System.err.print(said.toString().replace("/solution.java:", "solution.java:"));
        }
        return isGood;
    }

    private static List<String> functionWords(String[] arguments) throws IOException {
        String wanted = arguments[0];
        String name = arguments[1];
        int parameters = arguments.length - 3;
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> each : classes()) {
            boolean isNamed = wanted.isEmpty() || each.getName().equals(wanted) || each.getName().endsWith("." + wanted);
            if (isNamed && !Entry.candidates(each, name, parameters).isEmpty()) {
                found.add(each);
            }
        }
        if (found.isEmpty()) {
            throw new Mismatch("no class has a method " + name + " with " + parameters + " parameters");
        }
        Class<?> owner = preferred(found, "Solution", "several classes have a method " + name);
        Entry.find(owner, name, parameters);
        List<String> words = new ArrayList<>(List.of("taskfoundry.Driver", owner.getName()));
        words.addAll(List.of(arguments).subList(1, arguments.length));
        return words;
    }

    private static String mainClass() throws IOException {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> each : classes()) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.getName().equals("main") && isMain(method)) {
                    found.add(each);
                    break;
                }
            }
        }
        if (found.isEmpty()) {
            throw new Mismatch("no class has a method public static void main(String[])");
        }
        return preferred(found, "Main", "several classes have a main method").getName();
    }

    /** Returns whether the launcher starts it: later versions of Java need neither public, static nor a parameter. */
    private static boolean isMain(Method method) {
        Class<?>[] types = method.getParameterTypes();
        boolean isClassic = types.length == 1 && types[0] == String[].class
                && Modifier.isStatic(method.getModifiers()) && Modifier.isPublic(method.getModifiers());
        boolean isShort = types.length == 0 || (types.length == 1 && types[0] == String[].class);
        return isClassic || (Runtime.version().feature() >= 25 && isShort && !Modifier.isPrivate(method.getModifiers()));
    }

    private static Class<?> preferred(List<Class<?>> found, String name, String complaint) {
        for (Class<?> each : found) {
            if (each.getSimpleName().equals(name)) {
                return each;
            }
        }
        if (found.size() > 1) {
            throw new Mismatch(complaint);
        }
        return found.get(0);
    }

    /** Returns the top-level classes, loaded without running their initialisers. */
    private static List<Class<?>> classes() throws IOException {
        URL[] urls = {CLASSES.toUri().toURL()};
        URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        List<Class<?>> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(CLASSES)) {
            for (Path file : files.sorted().toList()) {
                String name = CLASSES.relativize(file).toString();
                if (name.endsWith(".class") && !name.contains("$")) {
                    String binary = name.substring(0, name.length() - ".class".length()).replace(File.separatorChar, '.');
                    found.add(Class.forName(binary, false, loader));
                }
            }
        } catch (ClassNotFoundException | LinkageError | SecurityException error) {
            throw new Mismatch("a class can't be loaded: " + error.getMessage());
        }
        return found;
    }

    private static String quote(String word) {
        return '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///solution.java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String simpleName, JavaFileObject.Kind kind) {
            return kind == JavaFileObject.Kind.SOURCE;
        }
    }
}
