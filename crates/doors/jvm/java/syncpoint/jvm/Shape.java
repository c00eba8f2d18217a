package syncpoint.jvm;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The shape of a command: its name and its options. A connection tells the region a shape once, which checks it against the
 * command's record; from then on the command goes by the shape's number.
 *
 * <p>An option is written as {@code +NEXT} (a keyword), {@code QUEUE} (bytes that are given), {@code #ITEM} (a number that is given),
 * {@code INTO>} (bytes that come back), {@code #NUMITEMS>} (a number that comes back), {@code COMMAREA<>} and {@code #LENGTH<>} (both).
 */
public final class Shape {
    /** Shapes of all classes together. */
    static final int COUNT_MAX = 512;

    static final int KEYWORD = 0;
    static final int BYTES_IN = 1;
    static final int NUMBER_IN = 2;
    static final int BYTES_OUT = 3;
    static final int NUMBER_OUT = 4;
    static final int BYTES_BOTH = 5;
    static final int NUMBER_BOTH = 6;

    /** Commands that change no records, and do not wait for others who do: what a browse has read ahead may be used behind them. */
    private static final Set<String> HARMLESS = Set.of(
            "READ", "STARTBR", "RESETBR", "READNEXT", "READPREV", "ENDBR", "UNLOCK", "WRITEQ TS", "DELETEQ TS", "WRITEQ TD",
            "DELETEQ TD", "DEQ", "GET CONTAINER", "PUT CONTAINER", "ASSIGN", "SEND TEXT");

    private static final AtomicInteger NEXT = new AtomicInteger();

    final int number;
    final String command;
    final String[] options;
    final int[] modes;
    final boolean isHarmless;

    private Shape(String command, String[] options) {
        number = NEXT.getAndIncrement();
        if (number >= COUNT_MAX) {
            throw new IllegalStateException("more than " + COUNT_MAX + " shapes of commands");
        }
        this.command = command;
        isHarmless = HARMLESS.contains(command) && !List.of(options).contains("+UPDATE");
        this.options = new String[options.length];
        modes = new int[options.length];
        for (int i = 0; i < options.length; i++) {
            String option = options[i];
            boolean number = option.startsWith("#");
            if (option.startsWith("+")) {
                modes[i] = KEYWORD;
            } else if (option.endsWith("<>")) {
                modes[i] = number ? NUMBER_BOTH : BYTES_BOTH;
            } else if (option.endsWith(">")) {
                modes[i] = number ? NUMBER_OUT : BYTES_OUT;
            } else {
                modes[i] = number ? NUMBER_IN : BYTES_IN;
            }
            this.options[i] = option.replaceAll("[+#<>]", "");
        }
    }

    /** A shape, made once for a place in the code. */
    public static Shape of(String command, String... options) {
        return new Shape(command, options);
    }

    /** Its command. */
    public String command() {
        return command;
    }

    void describe(Writer body) {
        body.text(command).u8(options.length);
        for (int i = 0; i < options.length; i++) {
            body.text(options[i]).u8(modes[i]);
        }
    }
}
