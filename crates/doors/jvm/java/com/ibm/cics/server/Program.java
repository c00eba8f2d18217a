package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A program to LINK to, of any language. */
public class Program extends RemotableResource {
    private static final String[] WAYS = {"", "+SYNCONRETURN"};
    private static final Shape[] PLAIN = shapes("PROGRAM");
    private static final Shape[] COMMAREA = shapes("PROGRAM", "COMMAREA<>", "#LENGTH");
    private static final Shape[] DATALENGTH = shapes("PROGRAM", "COMMAREA<>", "#LENGTH", "#DATALENGTH");
    private static final Shape[] CHANNEL = shapes("PROGRAM", "CHANNEL");
    private static final Shape REMOTE = Shape.of("LINK", "PROGRAM", "COMMAREA<>", "#LENGTH", "SYSID", "TRANSID");

    private boolean syncOnReturn;
    private String transaction = "";

    private static Shape[] shapes(String... options) {
        Shape[] shapes = new Shape[WAYS.length];
        for (int i = 0; i < WAYS.length; i++) {
            String[] all = java.util.Arrays.copyOf(options, options.length + (WAYS[i].isEmpty() ? 0 : 1));
            if (!WAYS[i].isEmpty()) {
                all[options.length] = WAYS[i];
            }
            shapes[i] = Shape.of("LINK", all);
        }
        return shapes;
    }

    /** The program takes a syncpoint of its own, if another region runs it. */
    public void setSyncOnReturn(boolean on) {
        syncOnReturn = on;
    }

    /** The transaction of its task in another region. */
    public void setTransId(String transaction) {
        this.transaction = transaction;
    }

    /** LINKs to it. */
    public void link()
            throws InvalidRequestException, LengthErrorException, InvalidSystemIdException, NotAuthorisedException,
                    InvalidProgramIdException, RolledBackException, TerminalException {
        Link.command(shape(PLAIN), (Object) nameBytes());
    }

    /** LINKs to it with a COMMAREA; what it leaves there is in the array. */
    public void link(byte[] commarea)
            throws InvalidRequestException, LengthErrorException, InvalidSystemIdException, NotAuthorisedException,
                    InvalidProgramIdException, RolledBackException, TerminalException {
        if (getSysId().isEmpty() && transaction.isEmpty()) {
            taken(commarea, Link.command(shape(COMMAREA), nameBytes(), commarea, commarea.length));
        } else {
            byte[] system = systemBytes();
            byte[] as = bytes(transaction.isEmpty() ? Task.getTask().getTransactionName() : transaction);
            taken(commarea, Link.command(REMOTE, nameBytes(), commarea, commarea.length, system, as));
        }
    }

    /** The same, if only the first bytes matter to the program. */
    public void link(byte[] commarea, int dataLength)
            throws InvalidRequestException, LengthErrorException, InvalidSystemIdException, NotAuthorisedException,
                    InvalidProgramIdException, RolledBackException, TerminalException {
        taken(commarea, Link.command(shape(DATALENGTH), nameBytes(), commarea, commarea.length, dataLength));
    }

    /** LINKs to it with a COMMAREA in a holder. */
    public void link(CommAreaHolder commarea)
            throws InvalidRequestException, LengthErrorException, InvalidSystemIdException, NotAuthorisedException,
                    InvalidProgramIdException, RolledBackException, TerminalException {
        link(commarea.getValue());
    }

    /** LINKs to it with a channel. */
    public void link(Channel channel)
            throws InvalidRequestException, LengthErrorException, InvalidSystemIdException, NotAuthorisedException,
                    InvalidProgramIdException, RolledBackException, TerminalException, ChannelErrorException {
        Link.command(shape(CHANNEL), nameBytes(), channel.nameBytes());
    }

    private static void taken(byte[] commarea, Reply reply) {
        byte[] left = reply.bytes("COMMAREA");
        System.arraycopy(left, 0, commarea, 0, Math.min(left.length, commarea.length));
    }

    private Shape shape(Shape[] ways) {
        return ways[syncOnReturn ? 1 : 0];
    }
}
