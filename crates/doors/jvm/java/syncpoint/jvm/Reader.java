package syncpoint.jvm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The body of a message, read as {@link Writer} writes it. */
final class Reader {
    private final ByteBuffer in;

    Reader(byte[] body) {
        in = ByteBuffer.wrap(body);
    }

    int u8() {
        return in.get() & 0xff;
    }

    /** Goes back to the beginning. */
    Reader back() {
        in.rewind();
        return this;
    }

    int u16() {
        return in.getShort() & 0xffff;
    }

    int i32() {
        return in.getInt();
    }

    long i64() {
        return in.getLong();
    }

    byte[] bytes() {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalStateException("a field of " + length + " bytes");
        }
        byte[] value = new byte[length];
        in.get(value);
        return value;
    }

    String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }
}
