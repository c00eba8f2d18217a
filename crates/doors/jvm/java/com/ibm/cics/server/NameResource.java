package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Shape;

/** A name that one task at a time has. */
public class NameResource extends Resource {
    private static final Shape ENQ = Shape.of("ENQ", "RESOURCE", "#LENGTH");
    private static final Shape ENQ_NOSUSPEND = Shape.of("ENQ", "RESOURCE", "#LENGTH", "+NOSUSPEND");
    private static final Shape DEQ = Shape.of("DEQ", "RESOURCE", "#LENGTH");

    /** Waits for the name. */
    public void enqueue() throws LengthErrorException, ResourceUnavailableException {
        Link.command(ENQ, nameBytes(), nameBytes().length);
    }

    /** Takes the name if it is free. */
    public void tryEnqueue() throws LengthErrorException, ResourceUnavailableException {
        Link.command(ENQ_NOSUSPEND, nameBytes(), nameBytes().length);
    }

    /** Lets go of the name. */
    public void dequeue() throws LengthErrorException, ResourceUnavailableException {
        Link.command(DEQ, nameBytes(), nameBytes().length);
    }
}
