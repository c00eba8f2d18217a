package com.ibm.cics.server;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import syncpoint.jvm.Shape;

/** A browse of a key-sequenced file. */
public class KeyedFileBrowse extends Browse {
    private static final Shape[] START = ways("STARTBR");
    private static final Shape[] RESET = ways("RESETBR");
    private static final Commands COMMANDS = new Commands(
            RESET[SearchType.GTEQ.ordinal()],
            Shape.of("READNEXT", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>"),
            Shape.of("READPREV", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>"));
    private static final int KEY_MAX = 255;

    KeyedFileBrowse(byte[] file, byte[] key, SearchType search) {
        super(COMMANDS, file);
        starts(START[search.ordinal()], area(key), values(key, search));
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

    /** Room for any key. */
    private static byte[] area(byte[] key) {
        return Arrays.copyOf(key, Math.max(key.length, KEY_MAX));
    }

    private Object[] values(byte[] key, SearchType search) {
        boolean isGeneric = search.ordinal() >= SearchType.GENERIC.ordinal();
        return isGeneric ? new Object[] {file, number, key, key.length} : new Object[] {file, number, key};
    }

    /** Reads the next record, with its key. */
    public void next(RecordHolder record, KeyHolder found)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        found.setValue(readNext(record));
    }

    /** Reads the record before, with its key. */
    public void previous(RecordHolder record, KeyHolder found)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        found.setValue(readPrevious(record));
    }

    /** Goes on from another key. */
    public void reset(byte[] key, SearchType search)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        resets(RESET[search.ordinal()], area(key), values(key, search));
    }

    /** Ends it. */
    public void end()
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    IOErrorException, LogicException, NotAuthorisedException {
        ends();
    }
}
