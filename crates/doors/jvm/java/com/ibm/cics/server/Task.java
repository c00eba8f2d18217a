package com.ibm.cics.server;

import java.io.PrintStream;
import syncpoint.jvm.Facts;
import syncpoint.jvm.Link;
import syncpoint.jvm.Shape;
import syncpoint.jvm.TerminalLines;

/** The task that runs the program. */
public class Task extends API {
    private static final Shape SYNCPOINT = Shape.of("SYNCPOINT");
    private static final Shape ROLLBACK = Shape.of("SYNCPOINT ROLLBACK");

    private static final ThreadLocal<Task> CURRENT = new ThreadLocal<>();

    private final Facts facts;
    private final PrincipalFacility facility;
    private final TerminalLines lines;

    /** Lines for the task's terminal, or for the JVM server's file of output. */
    public final PrintStream out;
    /** The same, for errors. */
    public final PrintStream err;

    private Task(Facts facts) {
        this.facts = facts;
        if (facts.terminal.isEmpty()) {
            facility = null;
            lines = null;
            out = System.out;
            err = System.err;
        } else {
            facility = new TerminalPrincipalFacility(facts.terminal);
            lines = new TerminalLines();
            out = new PrintStream(lines, true);
            err = out;
        }
    }

    /** For the JVM server alone: a program begins; {@code null}: it has ended. */
    public static void begins(Facts facts) {
        if (facts == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(new Task(facts));
        }
    }

    /** For the JVM server alone: the program has returned. */
    public static void ends() {
        Task task = CURRENT.get();
        if (task != null && task.lines != null) {
            task.lines.show();
        }
    }

    /** The task of this thread; {@code null} if it has none. */
    public static Task getTask() {
        return CURRENT.get();
    }

    /** EIBTASKN. */
    public int getTaskNumber() {
        return facts.task;
    }

    /** The name of its transaction. */
    public String getTransactionName() {
        return facts.transaction;
    }

    /** The user on whose behalf it runs. */
    public String getUSERID() throws InvalidRequestException {
        return facts.user;
    }

    /** The program that runs. */
    public String getProgramName() {
        return facts.program;
    }

    /** The program that has LINKed to it; {@code null} if it is the first one. */
    public String getInvokingProgramName() {
        return facts.invokedBy.isEmpty() ? null : facts.invokedBy;
    }

    /** How it was started: TD, S, SD, D … */
    public String getSTARTCODE() {
        return facts.startCode;
    }

    /** Its terminal; {@code null} if it has none. */
    public Object getPrincipalFacility() {
        return facility;
    }

    /** Takes a syncpoint. */
    public void commit() throws InvalidRequestException, RolledBackException {
        Link.command(SYNCPOINT);
    }

    /** Backs out what was done since the last syncpoint. */
    public void rollback() throws InvalidRequestException {
        Link.command(ROLLBACK);
    }

    /** Ends the task abnormally, without a code and a dump, unless the abend is handled. */
    public void abend() {
        Abends.abend(null, false, false);
    }

    /** Ends the task abnormally with a code, unless the abend is handled. */
    public void abend(String code) {
        Abends.abend(code, true, false);
    }

    /** Ends the task abnormally with a code, and a dump or none, unless the abend is handled. */
    public void abend(String code, boolean dump) {
        Abends.abend(code, dump, false);
    }

    /** Ends the task abnormally, without a code and a dump. */
    public void forceAbend() {
        Abends.abend(null, false, true);
    }

    /** Ends the task abnormally with a code. */
    public void forceAbend(String code) {
        Abends.abend(code, true, true);
    }

    /** Ends the task abnormally with a code, and a dump or none. */
    public void forceAbend(String code, boolean dump) {
        Abends.abend(code, dump, true);
    }

    /** A channel of a name; it is made with its first container. */
    public Channel createChannel(String name) throws ChannelErrorException {
        return new Channel(name);
    }

    /** The channel that the program was given; {@code null} if it was given none. */
    public Channel getCurrentChannel() {
        return facts.channel == null ? null : new Channel(facts.channel);
    }

    Facts facts() {
        return facts;
    }
}
