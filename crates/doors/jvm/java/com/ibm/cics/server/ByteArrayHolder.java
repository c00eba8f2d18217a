package com.ibm.cics.server;

import java.nio.charset.Charset;

/** Takes bytes that a request gives. */
public class ByteArrayHolder {
    /** The bytes. */
    public byte[] value = new byte[0];

    public ByteArrayHolder() {}

    public ByteArrayHolder(byte[] value) {
        this.value = value;
    }

    /** The bytes. */
    public byte[] getValue() {
        return value;
    }

    /** Replaces the bytes. */
    public void setValue(byte[] value) {
        this.value = value;
    }

    /** The bytes as characters in the code page of the region's programs. */
    public String getStringValue() {
        Charset charset = syncpoint.jvm.Link.current().charset();
        return value == null ? null : new String(value, charset);
    }
}
