package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** The terminal of a task. */
public class TerminalPrincipalFacility extends PrincipalFacility {
    private static final Shape RECEIVE = Shape.of("RECEIVE", "INTO>", "#LENGTH<>");
    private static final Shape SEND = Shape.of("SEND", "FROM", "#LENGTH");

    TerminalPrincipalFacility(String name) {
        super(name);
    }

    /** Receives what was typed. */
    public void receive(DataHolder data)
            throws InvalidRequestException, LengthErrorException, NotAllocatedException, TerminalException,
                    EndOfChainIndicatorException {
        Reply reply = Link.command(RECEIVE, LENGTH_MAX, LENGTH_MAX);
        data.setValue(java.util.Arrays.copyOf(reply.bytes("INTO"), reply.number("LENGTH")));
    }

    /** Sends a data stream. */
    public void send(byte[] data)
            throws InvalidRequestException, LengthErrorException, NotAllocatedException, TerminalException {
        Link.command(SEND, data, data.length);
    }

    /** Sends characters. */
    public void send(String data)
            throws InvalidRequestException, LengthErrorException, NotAllocatedException, TerminalException {
        send(bytes(data));
    }
}
