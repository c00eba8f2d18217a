package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Shape;

/** A file of numbered records. */
public class RRDS extends File {
    private static final Shape READ = Shape.of("READ", "FILE", "RIDFLD<>", "INTO>", "#LENGTH<>", "+RRN");
    private static final Shape READ_UPDATE = Shape.of("READ", "FILE", "RIDFLD<>", "INTO>", "#LENGTH<>", "+RRN", "+UPDATE");
    private static final Shape WRITE = Shape.of("WRITE", "FILE", "RIDFLD<>", "FROM", "#LENGTH", "+RRN");

    /** Reads the record of an RRN. */
    public void read(long rrn, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        taken(Link.command(READ, nameBytes(), number(rrn), LENGTH_MAX, LENGTH_MAX), record);
    }

    /** Reads the record of an RRN, and holds it for update. */
    public void readForUpdate(long rrn, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        taken(Link.command(READ_UPDATE, nameBytes(), number(rrn), LENGTH_MAX, LENGTH_MAX), record);
    }

    /** Begins a browse. */
    public RRDS_Browse startBrowse(long rrn)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        return new RRDS_Browse(nameBytes(), rrn);
    }

    /** Adds the record of an RRN. */
    public void write(long rrn, byte[] record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        Link.command(WRITE, nameBytes(), number(rrn), record, record.length);
    }

    /** Deletes the record that was read for update. */
    public void delete()
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        deleteRead();
    }
}
