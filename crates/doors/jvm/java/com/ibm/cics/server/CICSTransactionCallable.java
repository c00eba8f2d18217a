package com.ibm.cics.server;

import java.util.concurrent.Callable;

/** Work with a result for a task of its own, whose transaction it names. */
public interface CICSTransactionCallable<T> extends Callable<T> {
    /** The transaction; {@code null} or empty: that of the task that asks. */
    String getTranid();
}
