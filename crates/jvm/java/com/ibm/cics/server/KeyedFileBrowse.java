package com.ibm.cics.server;

import java.util.ArrayList;
import java.util.List;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A browse of a key-sequenced file. */
public class KeyedFileBrowse extends API {
    private static final Shape[] START = ways("STARTBR");
    private static final Shape[] RESET = ways("RESETBR");
    private static final Shape NEXT = Shape.of("READNEXT", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>");
    private static final Shape PREVIOUS = Shape.of("READPREV", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>");
    private static final Shape END = Shape.of("ENDBR", "FILE", "#REQID");
    private static final int KEY_MAX = 255;

    /** Browses of this thread's task that are open have numbers of their own. */
    private static final ThreadLocal<Integer> NUMBERS = ThreadLocal.withInitial(() -> 0);

    private final byte[] file;
    private final int number;
    private byte[] key;

    KeyedFileBrowse(byte[] file, byte[] key, SearchType search) {
        this.file = file;
        number = NUMBERS.get();
        NUMBERS.set((number + 1) % Short.MAX_VALUE);
        start(START, key, search);
    }

    static String[] joined(String[] last, String update, String... first) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(List.of(last));
        if (!update.isEmpty()) {
            all.add(update);
        }
        return all.toArray(new String[0]);
    }

    private static Shape[] ways(String command) {
        String[][] ways = {{"+EQUAL"}, {"+GTEQ"}, {"#KEYLENGTH", "+GENERIC", "+EQUAL"}, {"#KEYLENGTH", "+GENERIC", "+GTEQ"}};
        Shape[] shapes = new Shape[ways.length];
        for (int i = 0; i < ways.length; i++) {
            shapes[i] = Shape.of(command, joined(ways[i], "", "FILE", "#REQID", "RIDFLD"));
        }
        return shapes;
    }

    private void start(Shape[] shapes, byte[] key, SearchType search) {
        Shape shape = shapes[search.ordinal()];
        if (search.ordinal() >= SearchType.GENERIC.ordinal()) {
            Link.command(shape, file, number, key, key.length);
        } else {
            Link.command(shape, file, number, key);
        }
        this.key = java.util.Arrays.copyOf(key, Math.max(key.length, KEY_MAX));
    }

    /** Reads the next record, with its key. */
    public void next(RecordHolder record, KeyHolder found)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        read(NEXT, record, found);
    }

    /** Reads the record before, with its key. */
    public void previous(RecordHolder record, KeyHolder found)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        read(PREVIOUS, record, found);
    }

    /** Goes on from another key. */
    public void reset(byte[] key, SearchType search)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        start(RESET, key, search);
    }

    /** Ends it. */
    public void end()
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    IOErrorException, LogicException, NotAuthorisedException {
        Link.command(END, file, number);
    }

    private void read(Shape shape, RecordHolder record, KeyHolder found) {
        Reply reply = Link.command(shape, file, number, key, LENGTH_MAX, LENGTH_MAX);
        File.taken(reply, record);
        key = reply.bytes("RIDFLD");
        found.setValue(key);
    }
}
