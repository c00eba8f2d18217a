package com.ibm.cics.server;

/** Takes an item of a queue of temporary storage. */
public class ItemHolder extends ByteArrayHolder {
    public ItemHolder() {}

    public ItemHolder(byte[] value) {
        super(value);
    }
}
