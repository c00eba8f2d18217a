package com.ibm.cics.server;

/** Takes data of a queue or a terminal. */
public class DataHolder extends ByteArrayHolder {
    public DataHolder() {}

    public DataHolder(byte[] value) {
        super(value);
    }
}
