package taskfoundry;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;

/**
 * Calls a method of a solution and writes a record of each call to descriptor 3. The form of values and records is
 * described in sandbox/languages/wire.py. Arguments: class, method, the kinds of its parameters and of its result.
 */
public final class Driver {
    private static final int MESSAGE_CHARS = 1000;

    private Driver() {}

    public static void main(String[] arguments) {
        try {
            run(arguments);
        } catch (Throwable failure) {
            fail(failure.toString());
        }
        Runtime.getRuntime().halt(0);
    }

    private static void run(String[] words) throws Exception {
        Kind[] kinds = new Kind[words.length - 2];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = Kind.parse(words[i + 2]);
        }
        Decoder in = new Decoder(System.in.readAllBytes());
        Class<?> owner = Class.forName(words[0], false, Driver.class.getClassLoader());
        Method method = Entry.find(owner, words[1], kinds.length - 1);
        Type[] types = method.getGenericParameterTypes();
        try (OutputStream out = new FileOutputStream("/proc/self/fd/3", true)) {
            in.expect('C');
            for (int calls = in.number(';'); calls > 0; calls--) {
                Object[] values = new Object[types.length];
                for (int i = 0; i < types.length; i++) {
                    values[i] = in.read(kinds[i], types[i]);
                }
                out.write(call(method, values, kinds[types.length]));
            }
        }
    }

    private static byte[] call(Method method, Object[] values, Kind returns) throws Exception {
        Object result;
        try {
            Object target = Modifier.isStatic(method.getModifiers()) ? null : create(method.getDeclaringClass());
            result = method.invoke(target, values);
        } catch (InvocationTargetException raised) {
            return raised(raised.getCause());
        } catch (ExceptionInInitializerError raised) {
            return raised(raised.getCause() == null ? raised : raised.getCause());
        }
        Encoder encoder = new Encoder();
        try {
            encoder.write(returns, result);
        } catch (VirtualMachineError failure) {
            throw failure;
        } catch (Throwable failure) {
            return record('E', (failure instanceof Mismatch ? failure.getMessage() : name(failure)));
        }
        return encoder.record();
    }

    private static Object create(Class<?> owner) throws Exception {
        Constructor<?> constructor = owner.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    private static byte[] raised(Throwable raised) {
        if (raised instanceof VirtualMachineError) {
            fail(raised.getClass().getName());
        }
        String message;
        try {
            message = String.valueOf(raised.getMessage());
        } catch (Throwable failure) {
            message = "";
        }
        return record('X', name(raised) + "\n" + message.substring(0, Math.min(MESSAGE_CHARS, message.length())));
    }

    private static String name(Throwable thrown) {
        String full = thrown.getClass().getName();
        return full.substring(Math.max(full.lastIndexOf('.'), full.lastIndexOf('$')) + 1);
    }

    private static byte[] record(char tag, String text) {
        Encoder encoder = new Encoder();
        encoder.raw(text.getBytes(StandardCharsets.UTF_8));
        return encoder.record(tag);
    }

    private static void fail(String message) {
        byte[] line = (message + "\n").getBytes(StandardCharsets.UTF_8);
        System.err.write(line, 0, line.length);
        System.err.flush();
        Runtime.getRuntime().halt(1);
    }
}
