package taskfoundry;

/** A value that a type can't hold. */
final class Mismatch extends RuntimeException {
    private static final long serialVersionUID = 1;

    Mismatch(String message) {
        super(message);
    }

    static Mismatch of(Object value, Kind kind) {
        return new Mismatch("a value of " + (value == null ? "null" : value.getClass().getName()) + " isn't of the type " + kind);
    }
}
