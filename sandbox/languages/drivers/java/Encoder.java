package taskfoundry;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Writes a result in the wire form of its declared kind. */
final class Encoder {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    void raw(byte[] bytes) {
        out.writeBytes(bytes);
    }

    private void put(String text) {
        raw(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    byte[] record() {
        return record('V');
    }

    byte[] record(char tag) {
        byte[] payload = out.toByteArray();
        out.reset();
        put(tag + "" + payload.length + ";");
        raw(payload);
        return out.toByteArray();
    }

    void write(Kind kind, Object value) {
        boolean done = switch (kind.name()) {
            case "optional" -> writeOptional(kind.part(0), value);
            case "none" -> value == null && put(true, "N");
            case "int", "bigint" -> writeInteger(value);
            case "float" -> writeFloat(value);
            case "bool" -> value instanceof Boolean truth && put(true, truth ? "T" : "F");
            case "str" -> writeText(value);
            case "bytes" -> value instanceof byte[] bytes && sized('B', bytes);
            case "list" -> writeList(kind.part(0), value);
            case "set" -> value instanceof Set<?> set && writeItems('E', kind.part(0), set);
            case "map" -> value instanceof Map<?, ?> map && writeMap(kind, map);
            case "tuple" -> writeTuple(kind, value);
            default -> false;
        };
        if (!done) {
            throw Mismatch.of(value, kind);
        }
    }

    private boolean put(boolean result, String text) {
        put(text);
        return result;
    }

    private boolean sized(char tag, byte[] bytes) {
        put(tag + "" + bytes.length + ":");
        raw(bytes);
        return true;
    }

    private boolean writeOptional(Kind part, Object value) {
        Object inner = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (inner == null) {
            return put(true, "N");
        }
        write(part, inner);
        return true;
    }

    private boolean writeInteger(Object value) {
        boolean isInteger = value instanceof Integer || value instanceof Long || value instanceof BigInteger
                || value instanceof Short || value instanceof Byte;
        return isInteger && put(true, "I" + value + ";");
    }

    private boolean writeFloat(Object value) {
        boolean isNumber = value instanceof Double || value instanceof Float || value instanceof Integer || value instanceof Long;
        if (!isNumber) {
            return false;
        }
        String digits = Long.toHexString(Double.doubleToRawLongBits(((Number) value).doubleValue()));
        return put(true, "D" + "0".repeat(16 - digits.length()) + digits);
    }

    private boolean writeText(Object value) {
        if (value instanceof char[] characters) {
            return sized('S', Text.encode(new String(characters)));
        }
        boolean isText = value instanceof CharSequence || value instanceof Character;
        return isText && sized('S', Text.encode(value.toString()));
    }

    private boolean writeList(Kind part, Object value) {
        if (value instanceof Collection<?> items) {
            return !(value instanceof Set<?>) && writeItems('L', part, items);
        }
        if (value == null || !value.getClass().isArray()) {
            return false;
        }
        int size = Array.getLength(value);
        put("L" + size + ":");
        for (int i = 0; i < size; i++) {
            write(part, Array.get(value, i));
        }
        return true;
    }

    private boolean writeItems(char tag, Kind part, Collection<?> items) {
        Object[] all = items.toArray();
        put(tag + "" + all.length + ":");
        for (Object item : all) {
            write(part, item);
        }
        return true;
    }

    private boolean writeMap(Kind kind, Map<?, ?> map) {
        Object[] entries = map.entrySet().toArray();
        put("M" + entries.length + ":");
        for (Object entry : entries) {
            write(kind.part(0), ((Map.Entry<?, ?>) entry).getKey());
            write(kind.part(1), ((Map.Entry<?, ?>) entry).getValue());
        }
        return true;
    }

    private boolean writeTuple(Kind kind, Object value) {
        Object[] items = tuple(value);
        if (items == null || items.length != kind.parts().size()) {
            return false;
        }
        put("P" + items.length + ":");
        for (int i = 0; i < items.length; i++) {
            write(kind.part(i), items[i]);
        }
        return true;
    }

    private static Object[] tuple(Object value) {
        if (value instanceof List<?> list) {
            return list.toArray();
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            return new Object[] {entry.getKey(), entry.getValue()};
        }
        if (value instanceof Record) {
            return components(value);
        }
        if (value == null || !value.getClass().isArray()) {
            return null;
        }
        Object[] items = new Object[Array.getLength(value)];
        for (int i = 0; i < items.length; i++) {
            items[i] = Array.get(value, i);
        }
        return items;
    }

    private static Object[] components(Object value) {
        RecordComponent[] components = value.getClass().getRecordComponents();
        Object[] items = new Object[components.length];
        for (int i = 0; i < items.length; i++) {
            try {
                Method accessor = components[i].getAccessor();
                accessor.setAccessible(true);
                items[i] = accessor.invoke(value);
            } catch (ReflectiveOperationException error) {
                throw new Mismatch("the record " + value.getClass().getName() + " can't be read: " + error);
            }
        }
        return items;
    }
}
