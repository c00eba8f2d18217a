package syncpoint.jvm;

import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;

/** Lines for a task's terminal: they are shown when the program returns, the last ones that a screen has room for. */
public final class TerminalLines extends OutputStream {
    private static final Shape SEND = Shape.of("SEND TEXT", "FROM", "#LENGTH", "+ERASE", "+FREEKB");
    private static final int COLUMNS = 79;
    private static final int LINES = 23;

    private final ArrayDeque<byte[]> lines = new ArrayDeque<>();
    private final byte[] line = new byte[COLUMNS];
    private int used;

    @Override
    public void write(int character) {
        if (character == '\n' || used == COLUMNS) {
            ends();
        }
        if (character != '\n' && character != '\r') {
            line[used++] = (byte) character;
        }
    }

    private void ends() {
        byte[] padded = Arrays.copyOf(line, COLUMNS);
        Arrays.fill(padded, used, COLUMNS, (byte) ' ');
        lines.add(padded);
        used = 0;
        if (lines.size() > LINES) {
            lines.remove();
        }
    }

    /** Shows them. */
    public void show() {
        if (used > 0) {
            ends();
        }
        if (lines.isEmpty()) {
            return;
        }
        byte[] screen = new byte[lines.size() * COLUMNS];
        int at = 0;
        for (byte[] one : lines) {
            System.arraycopy(one, 0, screen, at, COLUMNS);
            at += COLUMNS;
        }
        lines.clear();
        Link.current().issue(SEND, screen, screen.length);
    }
}
