package syncpoint.jvm;

/** What a command has come to, and the values that it has given. */
public final class Reply {
    private final Shape shape;
    private final Object[] values;
    /** EIBRESP. */
    public final int resp;
    /** EIBRESP2. */
    public final int resp2;

    Reply(Shape shape, Reader body) {
        this.shape = shape;
        resp = body.u16();
        resp2 = body.i32();
        values = new Object[shape.options.length];
        for (int i = 0; i < values.length; i++) {
            if (shape.modes[i] >= Shape.BYTES_OUT) {
                switch (body.u8()) {
                    case 0 -> values[i] = null;
                    case 1 -> values[i] = body.bytes();
                    case 2 -> values[i] = body.i64();
                    default -> throw new IllegalStateException("a value of no kind");
                }
            }
        }
    }

    /** Returns true if the command has raised no condition. */
    public boolean isNormal() {
        return resp == 0;
    }

    /** The bytes that an option has given; none if it has given nothing. */
    public byte[] bytes(String option) {
        return value(option) instanceof byte[] bytes ? bytes : new byte[0];
    }

    /** The number that an option has given; 0 if it has given nothing. */
    public int number(String option) {
        return value(option) instanceof Long number ? (int) (long) number : 0;
    }

    private Object value(String option) {
        for (int i = 0; i < values.length; i++) {
            if (shape.options[i].equals(option)) {
                return values[i];
            }
        }
        throw new IllegalArgumentException(option);
    }
}
