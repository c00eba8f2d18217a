package com.ibm.cics.server;

/** What can go wrong in a request to the region and has to be handled. */
public abstract class CicsException extends Exception {
    private static final long serialVersionUID = 1;

    protected CicsException(String message) {
        super(message);
    }
}
