package com.ibm.cics.server;

/** An abend that cannot be handled: the task ends, whoever catches this. */
public class AbendCancelException extends AbendException {
    private static final long serialVersionUID = 1;

    public AbendCancelException(String code) {
        super(code);
    }
}
