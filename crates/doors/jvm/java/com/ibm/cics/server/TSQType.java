package com.ibm.cics.server;

/** Where a queue of temporary storage is kept. */
public enum TSQType {
    /** In memory. */
    MAIN,
    /** Auxiliary storage. */
    AUXILIARY
}
