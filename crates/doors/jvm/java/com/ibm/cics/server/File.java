package com.ibm.cics.server;

import java.nio.ByteBuffer;
import java.util.Arrays;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A file of records. */
public abstract class File extends RemotableResource {
    private static final Shape REWRITE = Shape.of("REWRITE", "FILE", "FROM", "#LENGTH");
    private static final Shape DELETE = Shape.of("DELETE", "FILE");
    private static final Shape UNLOCK = Shape.of("UNLOCK", "FILE");

    /** Bytes of an RBA or RRN. */
    static final int NUMBER_LENGTH = 4;

    /** Replaces the record that was read for update. */
    public void rewrite(byte[] record)
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, LoadingException,
                    LockedException, RecordBusyException, NotAuthorisedException, RecordNotFoundException,
                    LengthErrorException, DuplicateRecordException, DuplicateKeyException, NoSpaceException,
                    SuppressedException, ChangedException {
        Link.command(REWRITE, nameBytes(), record, record.length);
    }

    /** Lets go of the record that was read for update. */
    public void unlock()
            throws InvalidRequestException, InvalidSystemIdException, ISCInvalidRequestException, FileNotFoundException,
                    FileDisabledException, FileNotOpenException, IOErrorException, LogicException, NotAuthorisedException {
        Link.command(UNLOCK, (Object) nameBytes());
    }

    void deleteRead() {
        Link.command(DELETE, (Object) nameBytes());
    }

    static byte[] number(long number) {
        return ByteBuffer.allocate(NUMBER_LENGTH).putInt((int) number).array();
    }

    static long number(byte[] bytes) {
        return bytes.length < NUMBER_LENGTH ? 0 : Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt());
    }

    static void taken(Reply reply, RecordHolder record) {
        record.setValue(Arrays.copyOf(reply.bytes("INTO"), reply.number("LENGTH")));
    }
}
