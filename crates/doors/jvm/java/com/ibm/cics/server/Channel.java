package com.ibm.cics.server;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A channel: containers that go from program to program. */
public class Channel extends API {
    private static final Shape DELETE = Shape.of("DELETE CONTAINER", "CONTAINER", "CHANNEL");
    private static final Shape COUNT = Shape.of("QUERY CHANNEL", "CHANNEL", "#CONTAINERCNT>");
    private static final Shape START = Shape.of("STARTBROWSE CONTAINER", "CHANNEL", "#BROWSETOKEN>");
    private static final Shape NEXT = Shape.of("GETNEXT CONTAINER", "CONTAINER>", "#BROWSETOKEN");
    private static final Shape END = Shape.of("ENDBROWSE CONTAINER", "#BROWSETOKEN");
    private static final int NAME_LENGTH = 16;

    private final String name;

    Channel(String name) {
        this.name = name.trim();
    }

    /** Its name. */
    public String getName() {
        return name;
    }

    /** A container of a name; it is made when bytes are put into it. */
    public Container createContainer(String name)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException {
        return new Container(this, name);
    }

    /** The container of a name; {@code null} if there is none. */
    public Container getContainer(String name)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException {
        Container container = new Container(this, name);
        try {
            container.getLength();
            return container;
        } catch (ContainerErrorException missing) {
            return null;
        } catch (CCSIDErrorException | CodePageErrorException never) {
            throw new CicsRuntimeException(never.getMessage());
        }
    }

    /** Deletes a container. */
    public void deleteContainer(String name)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException {
        Link.command(DELETE, bytes(name), nameBytes());
    }

    /** Number of its containers. */
    public int getContainerCount() throws ChannelErrorException {
        return Link.command(COUNT, (Object) nameBytes()).number("CONTAINERCNT");
    }

    /** Its containers, as they are now. */
    public Iterator<Container> containerIterator() throws ChannelErrorException {
        List<Container> found = new ArrayList<>();
        int token = Link.command(START, (Object) nameBytes()).number("BROWSETOKEN");
        Link link = Link.current();
        for (Reply next = link.issue(NEXT, NAME_LENGTH, token); next.isNormal(); next = link.issue(NEXT, NAME_LENGTH, token)) {
            found.add(new Container(this, new String(next.bytes("CONTAINER"), link.charset()).trim()));
        }
        link.issue(END, token);
        return found.iterator();
    }

    byte[] nameBytes() {
        return bytes(name);
    }
}
