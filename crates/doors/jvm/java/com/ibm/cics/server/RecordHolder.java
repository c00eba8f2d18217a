package com.ibm.cics.server;

/** Takes a record of a file. */
public class RecordHolder extends ByteArrayHolder {
    public RecordHolder() {}

    public RecordHolder(byte[] value) {
        super(value);
    }
}
