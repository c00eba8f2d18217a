package syncpoint.jvm;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A connection to the region: frames of the form that links between regions have.
 *
 * <p>A frame is {@code length u32, conversation u32, kind u8, flags u8, health u8, load u8}, little-endian, then its body. A long
 * message goes in several frames, of which all but the last one say that it goes on.
 */
final class Carrier implements AutoCloseable {
    static final int HELLO = 1;
    static final int REQUEST = 3;
    static final int REPLY = 4;
    static final int CLOSING = 7;

    /** The version of what follows the frames' heads. */
    private static final int VERSION = 1;
    private static final int HEAD = 12;
    private static final int FRAME_MAX = 64 << 10;
    private static final int MESSAGE_MAX = 64 << 20;
    private static final int MORE = 1;
    private static final byte HEALTHY = 100;
    private static final int READ_BYTES = 32 << 10;

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocateDirect(READ_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private ByteBuffer out = ByteBuffer.allocateDirect(READ_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** A message, whole. */
    record Message(int kind, int conversation, byte[] body) {}

    private Carrier(SocketChannel channel) {
        this.channel = channel;
        in.limit(0);
    }

    /** Connects to the region, and says who this is: the control connection has thread 0. */
    static Carrier open(Path socket, String token, int thread) throws IOException {
        Carrier carrier = new Carrier(SocketChannel.open(StandardProtocolFamily.UNIX));
        try {
            carrier.channel.connect(UnixDomainSocketAddress.of(socket));
            Writer hello = new Writer().u8(VERSION).bytes(token.getBytes(StandardCharsets.US_ASCII)).i32(thread);
            carrier.send(HELLO, 0, hello.text(Runtime.version().toString()).end());
            return carrier;
        } catch (IOException | RuntimeException failed) {
            carrier.close();
            throw failed;
        }
    }

    /** Sends a message, in as many frames as it needs. */
    void send(int kind, int conversation, byte[] body) throws IOException {
        int sent = 0;
        do {
            int length = Math.min(FRAME_MAX, body.length - sent);
            boolean goesOn = sent + length < body.length;
            if (out.capacity() < HEAD + length) {
                out = ByteBuffer.allocateDirect(HEAD + FRAME_MAX).order(ByteOrder.LITTLE_ENDIAN);
            }
            out.clear();
            out.putInt(length).putInt(conversation).put((byte) kind).put((byte) (goesOn ? MORE : 0));
            out.put(HEALTHY).put((byte) 0).put(body, sent, length).flip();
            while (out.hasRemaining()) {
                channel.write(out);
            }
            sent += length;
        } while (sent < body.length);
    }

    /** The next message; {@code null} if the region has closed the connection between two of them. */
    Message receive() throws IOException {
        byte[] whole = null;
        while (true) {
            if (!fill(HEAD, whole == null)) {
                return null;
            }
            int length = in.getInt();
            int conversation = in.getInt();
            int kind = in.get();
            int flags = in.get();
            in.getShort();
            int before = whole == null ? 0 : whole.length;
            if (length < 0 || length > FRAME_MAX || before + length > MESSAGE_MAX) {
                throw new IOException("a frame of " + length + " bytes");
            }
            byte[] body = whole == null ? new byte[length] : java.util.Arrays.copyOf(whole, before + length);
            read(body, before);
            if ((flags & MORE) == 0) {
                return new Message(kind, conversation, body);
            }
            whole = body;
        }
    }

    private void read(byte[] body, int from) throws IOException {
        int at = from;
        while (at < body.length) {
            fill(1, false);
            int length = Math.min(in.remaining(), body.length - at);
            in.get(body, at, length);
            at += length;
        }
    }

    /** Reads until so many bytes are there; false if the stream ends before the first of them and may. */
    private boolean fill(int count, boolean mayEnd) throws IOException {
        while (in.remaining() < count) {
            in.compact();
            int got = channel.read(in);
            in.flip();
            if (got < 0) {
                if (mayEnd && !in.hasRemaining()) {
                    return false;
                }
                throw new EOFException("the region has closed the connection");
            }
        }
        return true;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException gone) {
            // It is closed.
        }
    }
}
