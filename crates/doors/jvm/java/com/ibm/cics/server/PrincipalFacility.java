package com.ibm.cics.server;

/** What a task was started at. */
public abstract class PrincipalFacility extends API {
    private final String name;

    PrincipalFacility(String name) {
        this.name = name;
    }

    /** Its name. */
    public String getName() {
        return name;
    }
}
