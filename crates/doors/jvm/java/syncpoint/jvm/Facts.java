package syncpoint.jvm;

/** What the region says of a task when a program of it begins. */
public final class Facts {
    /** The task's number. */
    public final int task;
    /** Its transaction. */
    public final String transaction;
    /** Its user. */
    public final String user;
    /** How it was started, as ASSIGN STARTCODE has it. */
    public final String startCode;
    /** Name of its terminal; empty if it has none. */
    public final String terminal;
    /** The program. */
    public final String program;
    /** The program that has LINKed to it; empty if it is the task's first one. */
    public final String invokedBy;
    /** The region. */
    public final String applid;
    /** Its system identifier. */
    public final String sysid;
    /** Name of the current channel; {@code null} if there is none. */
    public final String channel;
    private final byte[] commarea;

    Facts(Reader body) {
        task = body.i32();
        transaction = body.text();
        user = body.text();
        startCode = body.text();
        terminal = body.text();
        program = body.text();
        invokedBy = body.text();
        applid = body.text();
        sysid = body.text();
        channel = body.u8() == 0 ? null : body.text();
        commarea = body.u8() == 0 ? null : body.bytes();
    }

    byte[] commarea() {
        return commarea;
    }
}
