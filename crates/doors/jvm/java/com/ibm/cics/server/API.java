package com.ibm.cics.server;

/** What all classes of requests have in common. */
public abstract class API {
    /** The longest record, item and COMMAREA. */
    static final int LENGTH_MAX = 32767;

    /** A name in the code page of the region's programs. */
    static byte[] bytes(String text) {
        return syncpoint.jvm.Link.encoded(text);
    }
}
