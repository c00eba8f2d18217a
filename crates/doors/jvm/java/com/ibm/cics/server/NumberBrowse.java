package com.ibm.cics.server;

import syncpoint.jvm.Shape;

/** A browse by RBA or RRN. */
abstract class NumberBrowse extends Browse {
    /** The commands of such a browse. */
    record Numbered(Shape start, Commands others) {
        /** Those by RBA, or by RRN. */
        static Numbered by(String what) {
            String by = "+" + what;
            return new Numbered(
                    Shape.of("STARTBR", "FILE", "#REQID", "RIDFLD", by),
                    new Commands(
                            Shape.of("RESETBR", "FILE", "#REQID", "RIDFLD", by),
                            Shape.of("READNEXT", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>", by),
                            Shape.of("READPREV", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>", by)));
        }
    }

    private final Shape reset;

    NumberBrowse(Numbered commands, byte[] file, long at) {
        super(commands.others, file);
        reset = commands.others.back();
        byte[] number = File.number(at);
        starts(commands.start, number, file, this.number, number);
    }

    /** Reads the next record, and returns its RBA or RRN. */
    public long next(RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        return File.number(readNext(record));
    }

    /** Reads the record before, and returns its RBA or RRN. */
    public long previous(RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException, EndOfFileException {
        return File.number(readPrevious(record));
    }

    /** Goes on from another RBA or RRN. */
    public void reset(long at)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        byte[] number = File.number(at);
        resets(reset, number, file, this.number, number);
    }

    /** Ends it. */
    public void end()
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    IOErrorException, LogicException, NotAuthorisedException {
        ends();
    }
}
