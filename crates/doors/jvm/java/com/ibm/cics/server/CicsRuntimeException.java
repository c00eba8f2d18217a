package com.ibm.cics.server;

/** What nobody has to handle: abends, and what is wrong with the task itself. */
public class CicsRuntimeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CicsRuntimeException(String message) {
        super(message);
    }
}
