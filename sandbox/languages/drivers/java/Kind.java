package taskfoundry;

import java.util.ArrayList;
import java.util.List;

/** A type of a signature, such as map[str, list[int]]. */
record Kind(String name, List<Kind> parts) {
    static Kind parse(String text) {
        return new Parser(text).kind();
    }

    boolean is(String wanted) {
        return name.equals(wanted);
    }

    Kind part(int index) {
        return parts.get(index);
    }

    @Override
    public String toString() {
        return parts.isEmpty() ? name : name + parts;
    }

    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Kind kind() {
            int start = at;
            while (at < text.length() && "[], ".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String name = text.substring(start, at);
            List<Kind> parts = new ArrayList<>();
            if (at < text.length() && text.charAt(at) == '[') {
                do {
                    at++;
                    while (text.charAt(at) == ' ') {
                        at++;
                    }
                    parts.add(kind());
                } while (text.charAt(at) == ',');
                at++;
            }
            return new Kind(name, parts);
        }
    }
}
