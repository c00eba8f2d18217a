package com.ibm.cics.server;

/** A condition that a command has raised: each has a class of its own. */
public class CicsConditionException extends CicsException {
    private static final long serialVersionUID = 1;

    private final int resp;
    private final int resp2;

    /** A condition by its number, with RESP2, the condition's name and that of its command. */
    public CicsConditionException(int resp, int resp2, String condition, String command) {
        super("CICS " + condition + " Exception (" + command + "), RESP=" + resp + ", RESP2=" + resp2);
        this.resp = resp;
        this.resp2 = resp2;
    }

    /** EIBRESP. */
    public int getRESP() {
        return resp;
    }

    /** EIBRESP2. */
    public int getRESP2() {
        return resp2;
    }
}
