package com.ibm.cics.server;

/** A resource that has a name. */
public abstract class Resource extends API {
    private String name = "";

    /** Its name. */
    public final String getName() {
        return name;
    }

    /** Gives it a name. */
    public final void setName(String name) {
        this.name = name;
    }

    byte[] nameBytes() {
        return bytes(name);
    }
}
