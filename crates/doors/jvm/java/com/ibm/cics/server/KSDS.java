package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A key-sequenced file. */
public class KSDS extends KeyedFile {
    private static final Shape[] READ = reads("");
    private static final Shape[] READ_UPDATE = reads("+UPDATE");
    private static final Shape WRITE = Shape.of("WRITE", "FILE", "RIDFLD", "FROM", "#LENGTH");
    private static final Shape DELETE = Shape.of("DELETE", "FILE", "RIDFLD");
    private static final Shape DELETE_GENERIC = Shape.of("DELETE", "FILE", "RIDFLD", "#KEYLENGTH", "+GENERIC", "#NUMREC>");

    private static Shape[] reads(String update) {
        String[][] ways = {{"+EQUAL"}, {"+GTEQ"}, {"#KEYLENGTH", "+GENERIC", "+EQUAL"}, {"#KEYLENGTH", "+GENERIC", "+GTEQ"}};
        Shape[] shapes = new Shape[ways.length];
        for (int i = 0; i < ways.length; i++) {
            shapes[i] = Shape.of("READ", KeyedFileBrowse.joined(ways[i], update, "FILE", "RIDFLD<>", "INTO>", "#LENGTH<>"));
        }
        return shapes;
    }

    /** Reads the record of a key. */
    public void read(byte[] key, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        read(READ, key, SearchType.EQUAL, record, null);
    }

    /** Reads the record that a key finds. */
    public void read(byte[] key, SearchType search, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        read(READ, key, search, record, null);
    }

    /** Reads the record that a key finds, with its key. */
    public void read(byte[] key, SearchType search, RecordHolder record, KeyHolder found)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        read(READ, key, search, record, found);
    }

    /** Reads the record of a key, and holds it for update. */
    public void readForUpdate(byte[] key, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        read(READ_UPDATE, key, SearchType.EQUAL, record, null);
    }

    /** Reads the record that a key finds, and holds it for update. */
    public void readForUpdate(byte[] key, SearchType search, RecordHolder record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        read(READ_UPDATE, key, search, record, null);
    }

    /** Reads the record that a key finds, with its key, and holds it for update. */
    public void readForUpdate(byte[] key, SearchType search, RecordHolder record, KeyHolder found)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        read(READ_UPDATE, key, search, record, found);
    }

    private void read(Shape[] shapes, byte[] key, SearchType search, RecordHolder record, KeyHolder found) {
        Shape shape = shapes[search.ordinal()];
        boolean isGeneric = search.ordinal() >= SearchType.GENERIC.ordinal();
        Reply reply = isGeneric
                ? Link.command(shape, nameBytes(), key, LENGTH_MAX, LENGTH_MAX, key.length)
                : Link.command(shape, nameBytes(), key, LENGTH_MAX, LENGTH_MAX);
        taken(reply, record);
        if (found != null) {
            found.setValue(reply.bytes("RIDFLD"));
        }
    }

    /** Adds a record. */
    public void write(byte[] key, byte[] record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        Link.command(WRITE, nameBytes(), key, record, record.length);
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

    /** Deletes the record of a key. */
    public void delete(byte[] key)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        Link.command(DELETE, nameBytes(), key);
    }

    /** Deletes the records whose keys begin so, and returns their number. */
    public int deleteGeneric(byte[] key)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        return Link.command(DELETE_GENERIC, nameBytes(), key, key.length).number("NUMREC");
    }

    /** Begins a browse at a key. */
    public KeyedFileBrowse startBrowse(byte[] key)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        return startBrowse(key, SearchType.EQUAL);
    }

    /** Begins a browse where a key leads. */
    public KeyedFileBrowse startBrowse(byte[] key, SearchType search)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateKeyException {
        return new KeyedFileBrowse(nameBytes(), key, search);
    }
}
