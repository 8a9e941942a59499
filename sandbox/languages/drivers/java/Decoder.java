package taskfoundry;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads arguments, each as the type of the parameter that takes it. */
final class Decoder {
    private final byte[] data;
    private int at;

    Decoder(byte[] data) {
        this.data = data;
    }

    void expect(char tag) {
        if (peek() != tag) {
            throw new Mismatch("malformed arguments: " + (char) peek() + " instead of " + tag);
        }
        at++;
    }

    int number(char end) {
        return Integer.parseInt(until(end));
    }

    private byte peek() {
        if (at >= data.length) {
            throw new Mismatch("the arguments end too early");
        }
        return data[at];
    }

    private String until(char end) {
        int start = at;
        while (peek() != end) {
            at++;
        }
        return latin(start, at++);
    }

    @SuppressWarnings("deprecation")
    private String latin(int start, int end) {
        return new String(data, 0, start, end - start);
    }

    private int size(char tag) {
        expect(tag);
        return number(':');
    }

    Object read(Kind kind, Type type) {
        Class<?> raw = raw(type);
        if (kind.is("optional")) {
            return readOptional(kind.part(0), type, raw);
        }
        Object value = switch (kind.name()) {
            case "none" -> readNull(raw);
            case "int", "bigint" -> readInteger(kind, raw);
            case "float" -> readFloat(raw);
            case "bool" -> raw == boolean.class || raw.isAssignableFrom(Boolean.class) ? data[at++] == 'T' : null;
            case "str" -> readText(raw);
            case "bytes" -> raw.isAssignableFrom(byte[].class) ? bytes('B') : null;
            case "list" -> readList(kind.part(0), type, raw, size('L'));
            case "set" -> readSet(kind.part(0), type, raw, size('E'));
            case "map" -> readMap(kind, type, raw, size('M'));
            case "tuple" -> readTuple(kind, type, raw, size('P'));
            default -> null;
        };
        if (value == null && !kind.is("none")) {
            throw new Mismatch("a parameter of the type " + type.getTypeName() + " can't take a value of the type " + kind);
        }
        return value;
    }

    private Object readOptional(Kind kind, Type type, Class<?> raw) {
        if (raw == Optional.class) {
            return Optional.ofNullable(readOptional(kind, argument(type, 0), Object.class));
        }
        return peek() == 'N' ? readNull(raw) : read(kind, type);
    }

    private Object readNull(Class<?> raw) {
        if (raw.isPrimitive()) {
            throw new Mismatch("a parameter of the type " + raw + " can't take null");
        }
        expect('N');
        return null;
    }

    private Object readInteger(Kind kind, Class<?> raw) {
        expect('I');
        String digits = until(';');
        try {
            if (raw == int.class || raw == Integer.class) {
                return Integer.parseInt(digits);
            }
            if (raw == long.class || raw == Long.class) {
                return Long.parseLong(digits);
            }
            if (raw == short.class || raw == Short.class) {
                return Short.parseShort(digits);
            }
            if (raw == byte.class || raw == Byte.class) {
                return Byte.parseByte(digits);
            }
        } catch (NumberFormatException error) {
            throw new Mismatch("the argument " + digits + " doesn't fit " + raw.getName());
        }
        if (raw == BigInteger.class || (kind.is("bigint") && raw.isAssignableFrom(BigInteger.class))) {
            return new BigInteger(digits);
        }
        return raw.isAssignableFrom(Long.class) ? Long.valueOf(digits) : null;
    }

    private Object readFloat(Class<?> raw) {
        expect('D');
        double number = Double.longBitsToDouble(Long.parseUnsignedLong(latin(at, at + 16), 16));
        at += 16;
        if (raw == float.class || raw == Float.class) {
            return (float) number;
        }
        return raw == double.class || raw.isAssignableFrom(Double.class) ? number : null;
    }

    private byte[] bytes(char tag) {
        int size = size(tag);
        at += size;
        return Arrays.copyOfRange(data, at - size, at);
    }

    private Object readText(Class<?> raw) {
        String text = Text.decode(bytes('S'));
        if (raw == char[].class) {
            return text.toCharArray();
        }
        if ((raw == char.class || raw == Character.class) && text.length() == 1) {
            return text.charAt(0);
        }
        return raw.isAssignableFrom(String.class) ? text : null;
    }

    private Object readList(Kind part, Type type, Class<?> raw, int size) {
        if (raw.isArray()) {
            return readArray(part, type, raw, size);
        }
        Collection<Object> items = collection(raw, new ArrayList<>(size), new LinkedList<>(), new ArrayDeque<>());
        Type itemType = argument(type, 0);
        for (int i = 0; i < size && items != null; i++) {
            items.add(read(part, itemType));
        }
        return items;
    }

    private Object readArray(Kind part, Type type, Class<?> raw, int size) {
        Type itemType = type instanceof GenericArrayType generic ? generic.getGenericComponentType() : raw.getComponentType();
        Object items = Array.newInstance(raw.getComponentType(), size);
        for (int i = 0; i < size; i++) {
            Array.set(items, i, read(part, itemType));
        }
        return items;
    }

    private Object readSet(Kind part, Type type, Class<?> raw, int size) {
        Collection<Object> items = collection(raw, new LinkedHashSet<>(), new TreeSet<>());
        Type itemType = argument(type, 0);
        for (int i = 0; i < size && items != null; i++) {
            items.add(read(part, itemType));
        }
        return items;
    }

    private Object readMap(Kind kind, Type type, Class<?> raw, int size) {
        Map<Object, Object> items = raw.isAssignableFrom(LinkedHashMap.class) ? new LinkedHashMap<>() : null;
        if (items == null) {
            items = raw.isAssignableFrom(TreeMap.class) ? new TreeMap<>() : instantiate(raw);
        }
        for (int i = 0; i < size && items != null; i++) {
            Object key = read(kind.part(0), argument(type, 0));
            items.put(key, read(kind.part(1), argument(type, 1)));
        }
        return items;
    }

    private Object readTuple(Kind kind, Type type, Class<?> raw, int size) {
        if (raw.isRecord() && raw.getRecordComponents().length == size) {
            return readRecord(kind, raw);
        }
        boolean isEntry = raw == Map.Entry.class && size == 2;
        Type itemType = raw.isArray() ? raw.getComponentType() : isEntry ? Object.class : argument(type, 0);
        Object[] items = new Object[size];
        for (int i = 0; i < size; i++) {
            items[i] = read(kind.part(i), isEntry ? argument(type, i) : itemType);
        }
        if (isEntry) {
            return new AbstractMap.SimpleEntry<>(items[0], items[1]);
        }
        if (!raw.isArray()) {
            return raw.isAssignableFrom(ArrayList.class) ? new ArrayList<>(Arrays.asList(items)) : null;
        }
        Object array = Array.newInstance(raw.getComponentType(), size);
        for (int i = 0; i < size; i++) {
            Array.set(array, i, items[i]);
        }
        return array;
    }

    private Object readRecord(Kind kind, Class<?> raw) {
        RecordComponent[] components = raw.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] items = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            items[i] = read(kind.part(i), components[i].getGenericType());
        }
        try {
            Constructor<?> constructor = raw.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(items);
        } catch (ReflectiveOperationException error) {
            throw new Mismatch("the record " + raw.getName() + " can't be made: " + error);
        }
    }

    /** Returns the first of the given collections that the type can hold, or an empty one of the type itself. */
    @SafeVarargs
    private static Collection<Object> collection(Class<?> raw, Collection<Object>... offered) {
        for (Collection<Object> each : offered) {
            if (raw.isInstance(each)) {
                return each;
            }
        }
        return Collection.class.isAssignableFrom(raw) ? instantiate(raw) : null;
    }

    @SuppressWarnings("unchecked")
    private static <T> T instantiate(Class<?> raw) {
        boolean isOurs = raw.getName().startsWith("java.util.") && !Modifier.isAbstract(raw.getModifiers());
        try {
            return isOurs ? (T) raw.getDeclaredConstructor().newInstance() : null;
        } catch (ReflectiveOperationException error) {
            return null;
        }
    }

    private static Class<?> raw(Type type) {
        if (type instanceof Class<?> plain) {
            return plain;
        }
        if (type instanceof ParameterizedType generic) {
            return raw(generic.getRawType());
        }
        if (type instanceof GenericArrayType generic) {
            return raw(generic.getGenericComponentType()).arrayType();
        }
        return Object.class;
    }

    private static Type argument(Type type, int index) {
        Type[] all = type instanceof ParameterizedType generic ? generic.getActualTypeArguments() : new Type[0];
        return index < all.length ? all[index] : Object.class;
    }
}
