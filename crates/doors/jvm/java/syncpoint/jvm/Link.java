package syncpoint.jvm;

import com.ibm.cics.server.AbendCancelException;
import com.ibm.cics.server.AbendException;
import com.ibm.cics.server.CicsRuntimeException;
import java.io.IOException;
import java.nio.charset.Charset;

/** A task of the region, as its Java program reaches it: commands go over the connection of the program's thread. */
public final class Link {
    private static final int KNOWN = 'C';
    private static final int DEFINED = 'D';
    private static final int ANSWERED = 'R';
    private static final int ABENDED = 'A';
    static final int TIMES = 'T';

    private static final ThreadLocal<Link> CURRENT = new ThreadLocal<>();

    private final Carrier carrier;
    private final int conversation;
    /** The shapes that the region knows on this connection. */
    private final boolean[] told;
    private final Charset charset;
    private final Facts facts;
    private volatile boolean over;
    private int changes;
    private int exchanges;
    private boolean hasWorks;

    Link(Carrier carrier, int conversation, boolean[] told, Charset charset, Facts facts) {
        this.carrier = carrier;
        this.conversation = conversation;
        this.told = told;
        this.charset = charset;
        this.facts = facts;
    }

    static void bind(Link link) {
        if (link == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(link);
        }
    }

    /** The link of the task of this thread. */
    public static Link current() {
        Link link = CURRENT.get();
        if (link == null) {
            throw new CicsRuntimeException("this thread has no task of the region");
        }
        return link;
    }

    /** What the region has said of the task. */
    Facts facts() {
        return facts;
    }

    /** Returns true if the thread has a task. */
    public static boolean isThere() {
        return CURRENT.get() != null;
    }

    /** The code page of the region's programs. */
    public Charset charset() {
        return charset;
    }

    /** A text in the code page of the region's programs. */
    public static byte[] encoded(String text) {
        return text.getBytes(current().charset);
    }

    /** Has a command answered; a condition is an exception of its class. */
    public static Reply command(Shape shape, Object... values) {
        Reply reply = current().issue(shape, values);
        if (!reply.isNormal()) {
            Conditions.raise(shape.command, reply.resp, reply.resp2);
        }
        return reply;
    }

    /** Has a command answered; a condition is in the reply. */
    public Reply issue(Shape shape, Object... values) {
        Reader answer = exchange(shape, new Writer(), values);
        return read(shape, answer);
    }

    /**
     * Has a command answered several times, each time from where the one before has left its areas; fewer times if a condition or
     * an abend comes.
     */
    public Replies repeat(int times, Shape shape, Object... values) {
        Reader answer = exchange(shape, new Writer().u8(TIMES).u8(times), values);
        return new Replies(this, shape, answer);
    }

    private Reader exchange(Shape shape, Writer body, Object... values) {
        if (over) {
            throw new CicsRuntimeException("the task has ended");
        }
        boolean isKnown = told[shape.number];
        body.u8(isKnown ? KNOWN : DEFINED).u16(shape.number);
        if (!isKnown) {
            shape.describe(body);
        }
        write(shape, values, body);
        exchanges++;
        if (!shape.isHarmless) {
            changes++;
        }
        try {
            carrier.send(Carrier.REQUEST, conversation, body.end());
            told[shape.number] = true;
            Carrier.Message answer = carrier.receive();
            if (answer == null || answer.kind() != Carrier.REPLY) {
                throw new IOException("the region has closed the connection");
            }
            return new Reader(answer.body());
        } catch (IOException gone) {
            over = true;
            throw new CicsRuntimeException("the task has ended: " + gone.getMessage());
        }
    }

    /** Number of commands so far that may have changed records. */
    public int changes() {
        return changes;
    }

    /** The task has work done by another task, which may change records at any time from now on. */
    void hasWorks() {
        hasWorks = true;
    }

    /** Returns true if nothing is to be read ahead: another task may change records while the program waits for it. */
    public boolean isAccompanied() {
        return hasWorks;
    }

    /** Number of exchanges with the region since the program has begun. */
    public int exchanges() {
        return exchanges;
    }

    private static void write(Shape shape, Object[] values, Writer body) {
        int at = 0;
        for (int i = 0; i < shape.modes.length; i++) {
            switch (shape.modes[i]) {
                case Shape.BYTES_IN, Shape.BYTES_BOTH -> body.bytes((byte[]) values[at++]);
                case Shape.NUMBER_IN, Shape.NUMBER_BOTH -> body.i64(((Number) values[at++]).longValue());
                case Shape.BYTES_OUT -> body.i32((Integer) values[at++]);
                default -> { }
            }
        }
        if (at != values.length) {
            throw new IllegalArgumentException(shape.command + " takes " + at + " values");
        }
    }

    private Reply read(Shape shape, Reader answer) {
        return read(shape, answer.u8(), answer);
    }

    Reply read(Shape shape, int outcome, Reader answer) {
        if (outcome == ANSWERED) {
            return new Reply(shape, answer);
        }
        if (outcome != ABENDED) {
            throw new IllegalStateException("an answer of no kind");
        }
        String code = answer.text();
        if (answer.u8() != 0) {
            throw new AbendCancelException(code);
        }
        throw new AbendException(code);
    }

    void ends() {
        over = true;
    }
}
