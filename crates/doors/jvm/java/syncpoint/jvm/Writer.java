package syncpoint.jvm;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** The body of a message, written: numbers are big-endian, texts and bytes have their length in front. */
final class Writer {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Writer u8(int value) {
        out.write(value);
        return this;
    }

    Writer u16(int value) {
        return u8(value >> 8).u8(value);
    }

    Writer i32(int value) {
        return u16(value >> 16).u16(value);
    }

    Writer i64(long value) {
        return i32((int) (value >> 32)).i32((int) value);
    }

    Writer bytes(byte[] value) {
        return bytes(value, value.length);
    }

    Writer bytes(byte[] value, int length) {
        i32(length);
        out.write(value, 0, length);
        return this;
    }

    Writer text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    int length() {
        return out.size();
    }

    byte[] end() {
        return out.toByteArray();
    }
}
