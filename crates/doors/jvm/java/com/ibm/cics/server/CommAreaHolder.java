package com.ibm.cics.server;

/** Takes the COMMAREA of a program. */
public class CommAreaHolder extends ByteArrayHolder {
    public CommAreaHolder() {}

    public CommAreaHolder(byte[] value) {
        super(value);
    }
}
