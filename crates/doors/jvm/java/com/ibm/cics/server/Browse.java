package com.ibm.cics.server;

import java.util.Arrays;
import syncpoint.jvm.Conditions;
import syncpoint.jvm.Link;
import syncpoint.jvm.Replies;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/**
 * What browses of all files have in common. Records are read ahead, and the program sees them as if each had been read when it was
 * asked for: what was read ahead goes when the task may have changed records, when another task's work may have been waited for, when
 * the browse turns, and when it is old; the region's browse is then put back to the record that the program has read last.
 */
abstract class Browse extends API {
    /** Records that are read ahead at the begin, and most. */
    private static final int AHEAD = 4;
    private static final int AHEAD_MAX = 20;
    /** Nanoseconds for which a record that was read ahead may be used. */
    private static final long AHEAD_TIME = 1_000_000_000;
    private static final int NOTFND = 13;
    private static final int DUPKEY = 15;
    private static final int ENDFILE = 20;
    /** RESP2 of ENDFILE. */
    private static final int ENDFILE_2 = 90;
    private static final Shape END = Shape.of("ENDBR", "FILE", "#REQID");

    /** Browses of this thread's task that are open have numbers of their own. */
    private static final ThreadLocal<Integer> NUMBERS = ThreadLocal.withInitial(() -> 0);

    /** The commands of a kind of browses; a browse is put back by {@code back}. */
    record Commands(Shape back, Shape next, Shape previous) {}

    final byte[] file;
    final int number;
    private final Commands commands;
    /** Key, RBA or RRN of the record that the program has read last, or where it has begun. */
    private byte[] at;
    private boolean hasRead;

    private Link link;
    private Replies ahead;
    private int size = AHEAD;
    private int changes;
    private long readAt;
    /** Several records have one key: their place cannot be found again. */
    private boolean hasTwins;
    /** The region gives one record at a time: reads of the file take locks, or wait for them. */
    private boolean isAlone;

    Browse(Commands commands, byte[] file) {
        this.commands = commands;
        this.file = file;
        number = NUMBERS.get();
        NUMBERS.set((number + 1) % Short.MAX_VALUE);
    }

    /** Begins it, by a command with these values. */
    void starts(Shape shape, byte[] to, Object... values) {
        raise(shape, Link.current().issue(shape, values));
        at = to;
    }

    /** Puts it to another place, by a command with these values; where there is none, it stays where it is. */
    void resets(Shape shape, byte[] to, Object... values) {
        Reply reply = Link.current().issue(shape, values);
        if (!reply.isNormal() && hasRead) {
            back();
        }
        raise(shape, reply);
        at = to;
        hasRead = false;
        ahead = null;
        size = AHEAD;
    }

    /** Reads the next record, and returns its key, RBA or RRN. */
    byte[] readNext(RecordHolder record) {
        if (isAhead() && !isFresh()) {
            back();
        }
        if (!isAhead()) {
            fetch();
        }
        return taken(commands.next, ahead.take(), record);
    }

    /** Reads the record before, and returns its key, RBA or RRN. */
    byte[] readPrevious(RecordHolder record) {
        byte[] from = at;
        if (isAhead() && !back()) {
            // The record that was read last is gone, and the region's browse stands at the one behind its place: it turns there.
            from = ahead.peek().bytes("RIDFLD");
            read(commands.previous, from);
        }
        ahead = null;
        return taken(commands.previous, read(commands.previous, from), record);
    }

    /** Ends it. */
    void ends() {
        ahead = null;
        Link.command(END, file, number);
    }

    private boolean isAhead() {
        return ahead != null && !ahead.isEmpty();
    }

    private boolean isFresh() {
        return link == Link.current() && !link.isAccompanied() && link.changes() == changes && System.nanoTime() - readAt < AHEAD_TIME;
    }

    private void fetch() {
        Link now = Link.current();
        // Where records were changed between two reads, they will be again: nothing is read ahead then.
        if (link == now && now.changes() != changes) {
            size = 1;
        }
        int times = hasTwins || isAlone || now.isAccompanied() ? 1 : size;
        link = now;
        changes = now.changes();
        readAt = System.nanoTime();
        ahead = now.repeat(times, commands.next, file, number, at, LENGTH_MAX, LENGTH_MAX);
        isAlone |= ahead.isAlone();
        size = size < AHEAD ? AHEAD : AHEAD_MAX;
    }

    /**
     * Puts the region's browse back to the record that the program has read last. Returns false if that is gone: the record behind
     * its place was read instead, and is the next one.
     */
    private boolean back() {
        ahead = null;
        size = 1;
        Reply start = Link.current().issue(commands.back, file, number, at);
        if (start.resp == NOTFND) {
            Conditions.raise(commands.next.command(), ENDFILE, ENDFILE_2);
        }
        raise(commands.back, start);
        Link now = Link.current();
        Replies first = now.repeat(1, commands.next, file, number, at, LENGTH_MAX, LENGTH_MAX);
        if (Arrays.equals(first.peek().bytes("RIDFLD"), at)) {
            return true;
        }
        link = now;
        changes = now.changes();
        readAt = System.nanoTime();
        ahead = first;
        return false;
    }

    private Reply read(Shape shape, byte[] from) {
        return Link.current().issue(shape, file, number, from, LENGTH_MAX, LENGTH_MAX);
    }

    private byte[] taken(Shape shape, Reply reply, RecordHolder record) {
        if (reply.isNormal() || reply.resp == DUPKEY) {
            File.taken(reply, record);
            at = reply.bytes("RIDFLD");
            hasRead = true;
        }
        hasTwins |= reply.resp == DUPKEY;
        raise(shape, reply);
        return at;
    }

    private static void raise(Shape shape, Reply reply) {
        if (!reply.isNormal()) {
            Conditions.raise(shape.command(), reply.resp, reply.resp2);
        }
    }
}
