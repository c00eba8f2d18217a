package com.ibm.cics.server;

/** How a record is found by a key. */
public enum SearchType {
    /** The whole key. */
    EQUAL,
    /** The key, or the next one behind it. */
    GTEQ,
    /** The beginning of a key. */
    GENERIC,
    /** The beginning of a key, or the next one behind it. */
    GENERIC_GTEQ
}
