package com.ibm.cics.server;

/** A browse by RBA. */
public class ESDS_Browse extends NumberBrowse {
    private static final Numbered COMMANDS = Numbered.by("RBA");

    ESDS_Browse(byte[] file, long rba) {
        super(COMMANDS, file, rba);
    }
}
