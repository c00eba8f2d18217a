package com.ibm.cics.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import syncpoint.jvm.Conditions;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** A container: bytes, or characters, under a name. */
public class Container extends API {
    private static final Shape LENGTH = Shape.of("GET CONTAINER", "CONTAINER", "CHANNEL", "#FLENGTH>", "+NODATA");
    private static final Shape GET = Shape.of("GET CONTAINER", "CONTAINER", "CHANNEL", "INTO>", "#FLENGTH<>");
    private static final Shape GET_CHAR = Shape.of("GET CONTAINER", "CONTAINER", "CHANNEL", "INTO>", "#FLENGTH<>", "#INTOCCSID");
    private static final Shape PUT = Shape.of("PUT CONTAINER", "CONTAINER", "CHANNEL", "FROM", "#FLENGTH", "+BIT");
    private static final Shape APPEND = Shape.of("PUT CONTAINER", "CONTAINER", "CHANNEL", "FROM", "#FLENGTH", "+APPEND", "+BIT");
    private static final Shape PUT_CHAR = Shape.of("PUT CONTAINER", "CONTAINER", "CHANNEL", "FROM", "#FLENGTH", "+CHAR", "#FROMCCSID");
    private static final Shape APPEND_CHAR =
            Shape.of("PUT CONTAINER", "CONTAINER", "CHANNEL", "FROM", "#FLENGTH", "+APPEND", "+CHAR", "#FROMCCSID");
    private static final int UTF_8 = 1208;
    /** Bytes that the first request has room for. */
    private static final int FIRST = 32 << 10;
    private static final int LENGERR = 22;

    private final Channel channel;
    private final String name;

    Container(Channel channel, String name) {
        this.channel = channel;
        this.name = name;
    }

    /** Its name. */
    public String getName() {
        return name;
    }

    /** The channel that has it. */
    public String getChannelName() {
        return channel.getName();
    }

    /** Number of its bytes. */
    public int getLength()
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException {
        return Link.command(LENGTH, bytes(name), channel.nameBytes()).number("FLENGTH");
    }

    /** Its bytes. */
    public byte[] get()
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException, LengthErrorException {
        return read(GET, new byte[0]);
    }

    /** Its characters. */
    public String getString()
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException, LengthErrorException {
        return new String(read(GET_CHAR, null), StandardCharsets.UTF_8);
    }

    private byte[] read(Shape shape, byte[] plain) {
        Reply reply = read(shape, plain, FIRST);
        if (reply.resp == LENGERR) {
            reply = read(shape, plain, reply.number("FLENGTH"));
        }
        if (!reply.isNormal()) {
            Conditions.raise(shape.command(), reply.resp, reply.resp2);
        }
        return Arrays.copyOf(reply.bytes("INTO"), reply.number("FLENGTH"));
    }

    private Reply read(Shape shape, byte[] plain, int room) {
        Link link = Link.current();
        byte[] own = channel.nameBytes();
        return plain == null
                ? link.issue(shape, bytes(name), own, room, room, UTF_8)
                : link.issue(shape, bytes(name), own, room, room);
    }

    /** Puts bytes into it. */
    public void put(byte[] data)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException {
        Link.command(PUT, bytes(name), channel.nameBytes(), data, data.length);
    }

    /** Adds bytes to it. */
    public void append(byte[] data)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException {
        Link.command(APPEND, bytes(name), channel.nameBytes(), data, data.length);
    }

    /** Puts characters into it. */
    public void putString(String text)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException {
        characters(PUT_CHAR, text);
    }

    /** Adds characters to it. */
    public void appendString(String text)
            throws InvalidRequestException, ContainerErrorException, ChannelErrorException, CCSIDErrorException,
                    CodePageErrorException {
        characters(APPEND_CHAR, text);
    }

    /** Deletes it. */
    public void delete() throws InvalidRequestException, ContainerErrorException, ChannelErrorException {
        channel.deleteContainer(name);
    }

    private void characters(Shape shape, String text) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        Link.command(shape, bytes(name), channel.nameBytes(), data, data.length, UTF_8);
    }
}
