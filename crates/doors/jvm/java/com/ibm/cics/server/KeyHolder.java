package com.ibm.cics.server;

/** Takes the key of a record. */
public class KeyHolder extends ByteArrayHolder {
    public KeyHolder() {}

    public KeyHolder(byte[] value) {
        super(value);
    }
}
