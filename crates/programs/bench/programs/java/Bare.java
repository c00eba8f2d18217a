import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The floor: exchanges of 100 bytes there and 200 bytes back over a unix socket. The other end sends a number of four bytes: so many
 * exchanges are to follow, which this end begins; a negative one: which the other end begins.
 */
public class Bare {
    private static final int ASK = 100;
    private static final int ANSWER = 200;

    public static void main(String[] arguments) throws Exception {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(arguments[0]));
        ByteBuffer buffer = ByteBuffer.allocateDirect(1024);
        while (read(channel, buffer, 4)) {
            int count = buffer.getInt(0);
            for (int i = 0; i < count; i++) {
                write(channel, buffer, ASK);
                read(channel, buffer, ANSWER);
            }
            for (int i = 0; i < -count; i++) {
                read(channel, buffer, ASK);
                write(channel, buffer, ANSWER);
            }
            // All is done.
            write(channel, buffer, 1);
        }
    }

    private static boolean read(SocketChannel channel, ByteBuffer buffer, int length) throws Exception {
        buffer.clear().limit(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return false;
            }
        }
        return true;
    }

    private static void write(SocketChannel channel, ByteBuffer buffer, int length) throws Exception {
        buffer.clear().limit(length);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }
}
