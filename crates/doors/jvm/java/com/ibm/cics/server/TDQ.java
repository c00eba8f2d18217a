package com.ibm.cics.server;

import java.util.Arrays;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A queue of transient data. */
public class TDQ extends RemotableResource {
    private static final Shape WRITE = Shape.of("WRITEQ TD", "QUEUE", "FROM", "#LENGTH");
    private static final Shape READ = Shape.of("READQ TD", "QUEUE", "INTO>", "#LENGTH<>");
    private static final Shape READ_NOSUSPEND = Shape.of("READQ TD", "QUEUE", "INTO>", "#LENGTH<>", "+NOSUSPEND");
    private static final Shape DELETE = Shape.of("DELETEQ TD", "QUEUE");

    /** Adds a record. */
    public void writeData(byte[] data)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, LengthErrorException,
                    InvalidSystemIdException, InvalidQueueIdException, LockedException, NoSpaceException,
                    NotAuthorisedException, NotOpenException, ResourceDisabledException {
        Link.command(WRITE, nameBytes(), data, data.length);
    }

    /** Adds a record of characters. */
    public void writeString(String data)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, LengthErrorException,
                    InvalidSystemIdException, InvalidQueueIdException, LockedException, NoSpaceException,
                    NotAuthorisedException, NotOpenException, ResourceDisabledException {
        writeData(bytes(data));
    }

    /** Takes the next record. */
    public void readData(DataHolder data)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, LengthErrorException,
                    InvalidSystemIdException, InvalidQueueIdException, LockedException, NotAuthorisedException,
                    NotOpenException, QueueBusyException, QueueZeroException, ResourceDisabledException {
        taken(READ, data);
    }

    /** Takes the next record, without waiting for another task. */
    public void readDataConditional(DataHolder data)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, LengthErrorException,
                    InvalidSystemIdException, InvalidQueueIdException, LockedException, NotAuthorisedException,
                    NotOpenException, QueueBusyException, QueueZeroException, ResourceDisabledException {
        taken(READ_NOSUSPEND, data);
    }

    /** Deletes all records. */
    public void delete()
            throws InvalidRequestException, ISCInvalidRequestException, InvalidSystemIdException,
                    InvalidQueueIdException, LockedException, NotAuthorisedException, ResourceDisabledException {
        Link.command(DELETE, (Object) nameBytes());
    }

    private void taken(Shape shape, DataHolder data) {
        Reply reply = Link.command(shape, nameBytes(), LENGTH_MAX, LENGTH_MAX);
        data.setValue(Arrays.copyOf(reply.bytes("INTO"), reply.number("LENGTH")));
    }
}
