package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A browse by RBA. */
public class ESDS_Browse extends API {
    private static final Shape START = Shape.of("STARTBR", "FILE", "#REQID", "RIDFLD", "+RBA");
    private static final Shape RESET = Shape.of("RESETBR", "FILE", "#REQID", "RIDFLD", "+RBA");
    private static final Shape NEXT = Shape.of("READNEXT", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>", "+RBA");
    private static final Shape PREVIOUS = Shape.of("READPREV", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>", "+RBA");
    private static final Shape END = Shape.of("ENDBR", "FILE", "#REQID");

    /** Browses of this thread's task that are open have numbers of their own. */
    private static final ThreadLocal<Integer> NUMBERS = ThreadLocal.withInitial(() -> 0);

    private final byte[] file;
    private final int number;
    private byte[] at;

    ESDS_Browse(byte[] file, long rba) {
        this.file = file;
        number = NUMBERS.get();
        NUMBERS.set((number + 1) % Short.MAX_VALUE);
        at = File.number(rba);
        Link.command(START, file, number, at);
    }

    /** Reads the next record, and returns its RBA. */
    public long next(RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        return read(NEXT, record);
    }

    /** Reads the record before, and returns its RBA. */
    public long previous(RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        return read(PREVIOUS, record);
    }

    /** Goes on from another RBA. */
    public void reset(long rba)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        at = File.number(rba);
        Link.command(RESET, file, number, at);
    }

    /** Ends it. */
    public void end()
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    IOErrorException, LogicException, NotAuthorisedException {
        Link.command(END, file, number);
    }

    private long read(Shape shape, RecordHolder record) {
        Reply reply = Link.command(shape, file, number, at, API.LENGTH_MAX, API.LENGTH_MAX);
        File.taken(reply, record);
        at = reply.bytes("RIDFLD");
        return File.number(at);
    }
}
