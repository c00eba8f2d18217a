package com.ibm.cics.server;

/** An abend of the task, or of a program that was LINKed to. */
public class AbendException extends CicsRuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;

    /** An abend by its code; {@code null}: without one. */
    public AbendException(String code) {
        super("ABEND " + code);
        this.code = code;
    }

    /** The abend code. */
    public String getABCODE() {
        return code;
    }
}
