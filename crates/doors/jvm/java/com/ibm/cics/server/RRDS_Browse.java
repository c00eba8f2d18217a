package com.ibm.cics.server;

/** A browse by RRN. */
public class RRDS_Browse extends NumberBrowse {
    private static final Numbered COMMANDS = Numbered.by("RRN");

    RRDS_Browse(byte[] file, long rrn) {
        super(COMMANDS, file, rrn);
    }
}
