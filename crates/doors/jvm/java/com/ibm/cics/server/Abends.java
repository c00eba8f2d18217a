package com.ibm.cics.server;

import syncpoint.jvm.Link;
import syncpoint.jvm.Shape;

/** The forms of ABEND. */
final class Abends {
    private static final Shape PLAIN = Shape.of("ABEND", "+NODUMP");
    private static final Shape PLAIN_CANCEL = Shape.of("ABEND", "+NODUMP", "+CANCEL");
    private static final Shape DUMP = Shape.of("ABEND", "ABCODE");
    private static final Shape NODUMP = Shape.of("ABEND", "ABCODE", "+NODUMP");
    private static final Shape DUMP_CANCEL = Shape.of("ABEND", "ABCODE", "+CANCEL");
    private static final Shape NODUMP_CANCEL = Shape.of("ABEND", "ABCODE", "+NODUMP", "+CANCEL");

    private static final int CODE_LENGTH = 4;
    /** The code in the place of one that is too long. */
    private static final String TOO_LONG = "AJ99";

    private Abends() {}

    static void abend(String code, boolean dump, boolean cancel) {
        if (code == null) {
            Link.command(cancel ? PLAIN_CANCEL : PLAIN);
            return;
        }
        byte[] bytes = API.bytes(code.length() > CODE_LENGTH ? TOO_LONG : code);
        if (dump) {
            Link.command(cancel ? DUMP_CANCEL : DUMP, (Object) bytes);
        } else {
            Link.command(cancel ? NODUMP_CANCEL : NODUMP, (Object) bytes);
        }
    }
}
