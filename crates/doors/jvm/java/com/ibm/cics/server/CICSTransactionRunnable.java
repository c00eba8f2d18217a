package com.ibm.cics.server;

/** Work for a task of its own, whose transaction it names. */
public interface CICSTransactionRunnable extends Runnable {
    /** The transaction; {@code null} or empty: that of the task that asks. */
    String getTranid();
}
