package taskfoundry;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Finds the method that is called. */
final class Entry {
    private Entry() {}

    /** Returns the only method of that name with so many parameters. */
    static Method find(Class<?> owner, String name, int parameters) {
        List<Method> found = candidates(owner, name, parameters);
        if (found.size() != 1) {
            String count = found.isEmpty() ? "no method" : found.size() + " methods";
            throw new Mismatch("class " + owner.getName() + " has " + count + " " + name + " with " + parameters + " parameters");
        }
        found.get(0).setAccessible(true);
        return found.get(0);
    }

    static List<Method> candidates(Class<?> owner, String name, int parameters) {
        List<Method> found = new ArrayList<>();
        for (Method method : owner.getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == parameters && !method.isSynthetic()) {
                found.add(method);
            }
        }
        return found;
    }
}
