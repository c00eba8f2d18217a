package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Shape;

/** An entry-sequenced file. */
public class ESDS extends File {
    private static final Shape READ = Shape.of("READ", "FILE", "RIDFLD<>", "INTO>", "#LENGTH<>", "+RBA");
    private static final Shape READ_UPDATE = Shape.of("READ", "FILE", "RIDFLD<>", "INTO>", "#LENGTH<>", "+RBA", "+UPDATE");
    private static final Shape WRITE = Shape.of("WRITE", "FILE", "RIDFLD<>", "FROM", "#LENGTH", "+RBA");

    /** Reads the record of an RBA. */
    public void read(long rba, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        taken(Link.command(READ, nameBytes(), number(rba), LENGTH_MAX, LENGTH_MAX), record);
    }

    /** Reads the record of an RBA, and holds it for update. */
    public void readForUpdate(long rba, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        taken(Link.command(READ_UPDATE, nameBytes(), number(rba), LENGTH_MAX, LENGTH_MAX), record);
    }

    /** Begins a browse. */
    public ESDS_Browse startBrowse(long rba)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        return new ESDS_Browse(nameBytes(), rba);
    }

    /** Adds a record, and returns its RBA. */
    public long write(byte[] record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        return number(Link.command(WRITE, nameBytes(), number(0), record, record.length).bytes("RIDFLD"));
    }
}
