package syncpoint.jvm;

import java.util.ArrayDeque;

/** Answers of a command that was asked for several times, which a program takes one by one: conditions and abends come in their turn. */
public final class Replies {
    private final Link link;
    private final Shape shape;
    private final ArrayDeque<Reader> rest = new ArrayDeque<>();
    private boolean isAlone;

    Replies(Link link, Shape shape, Reader body) {
        this.link = link;
        this.shape = shape;
        int outcome = body.u8();
        if (outcome != Link.TIMES) {
            // One answer has the form of one answer.
            rest.add(body.back());
            return;
        }
        for (int count = body.u8(); count > 0; count--) {
            rest.add(new Reader(body.bytes()));
        }
        isAlone = rest.size() == 1;
    }

    /** Returns true if the region gives one at a time. */
    public boolean isAlone() {
        return isAlone;
    }

    /** Returns true if none is left. */
    public boolean isEmpty() {
        return rest.isEmpty();
    }

    /** Takes the next one. */
    public Reply take() {
        return read(rest.remove());
    }

    /** The next one, which stays. */
    public Reply peek() {
        Reply reply = read(rest.element());
        rest.element().back();
        return reply;
    }

    private Reply read(Reader answer) {
        return link.read(shape, answer.u8(), answer);
    }
}
