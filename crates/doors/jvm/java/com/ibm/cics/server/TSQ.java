package com.ibm.cics.server;

import java.util.Arrays;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A queue of temporary storage. */
public class TSQ extends RemotableResource {
    private static final Shape MAIN = Shape.of("WRITEQ TS", "QNAME", "FROM", "#LENGTH", "#NUMITEMS>", "+MAIN");
    private static final Shape AUXILIARY = Shape.of("WRITEQ TS", "QNAME", "FROM", "#LENGTH", "#NUMITEMS>", "+AUXILIARY");
    private static final Shape REWRITE = Shape.of("WRITEQ TS", "QNAME", "FROM", "#LENGTH", "#ITEM", "+REWRITE");
    private static final Shape READ = Shape.of("READQ TS", "QNAME", "INTO>", "#LENGTH<>", "#ITEM", "#NUMITEMS>");
    private static final Shape NEXT = Shape.of("READQ TS", "QNAME", "INTO>", "#LENGTH<>", "+NEXT", "#NUMITEMS>");
    private static final Shape DELETE = Shape.of("DELETEQ TS", "QNAME");

    private TSQType type = TSQType.AUXILIARY;

    /** Where a queue is kept that is made by the first item. */
    public void setType(TSQType type) {
        this.type = type;
    }

    /** Where the queue is to be kept. */
    public TSQType getType() {
        return type;
    }

    /** Adds an item, and returns the number of items. */
    public int writeItem(byte[] item)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, ItemErrorException,
                    LengthErrorException, InvalidSystemIdException, InvalidQueueIdException, LockedException,
                    NoSpaceException, NotAuthorisedException {
        Shape shape = type == TSQType.MAIN ? MAIN : AUXILIARY;
        return Link.command(shape, nameBytes(), item, item.length).number("NUMITEMS");
    }

    /** Adds an item of characters, and returns the number of items. */
    public int writeString(String item)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, ItemErrorException,
                    LengthErrorException, InvalidSystemIdException, InvalidQueueIdException, LockedException,
                    NoSpaceException, NotAuthorisedException {
        return writeItem(bytes(item));
    }

    /** Replaces an item. */
    public void rewriteItem(int number, byte[] item)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, ItemErrorException,
                    LengthErrorException, InvalidSystemIdException, InvalidQueueIdException, LockedException,
                    NoSpaceException, NotAuthorisedException {
        Link.command(REWRITE, nameBytes(), item, item.length, number);
    }

    /** Replaces an item by characters. */
    public void rewriteString(int number, String item)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, ItemErrorException,
                    LengthErrorException, InvalidSystemIdException, InvalidQueueIdException, LockedException,
                    NoSpaceException, NotAuthorisedException {
        rewriteItem(number, bytes(item));
    }

    /** Reads an item, and returns the number of items. */
    public int readItem(int number, ItemHolder item)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, ItemErrorException,
                    LengthErrorException, InvalidSystemIdException, InvalidQueueIdException, NotAuthorisedException {
        return taken(Link.command(READ, nameBytes(), LENGTH_MAX, LENGTH_MAX, number), item);
    }

    /** Reads the next item, whoever has read the one before, and returns the number of items. */
    public int readNextItem(ItemHolder item)
            throws InvalidRequestException, IOErrorException, ISCInvalidRequestException, ItemErrorException,
                    LengthErrorException, InvalidSystemIdException, InvalidQueueIdException, NotAuthorisedException {
        return taken(Link.command(NEXT, nameBytes(), LENGTH_MAX, LENGTH_MAX), item);
    }

    /** Deletes the queue. */
    public void delete()
            throws InvalidRequestException, ISCInvalidRequestException, InvalidSystemIdException,
                    InvalidQueueIdException, LockedException, NotAuthorisedException {
        Link.command(DELETE, (Object) nameBytes());
    }

    private static int taken(Reply reply, ItemHolder item) {
        item.setValue(Arrays.copyOf(reply.bytes("INTO"), reply.number("LENGTH")));
        return reply.number("NUMITEMS");
    }
}
