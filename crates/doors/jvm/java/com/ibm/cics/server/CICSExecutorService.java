package com.ibm.cics.server;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import syncpoint.jvm.Works;

/** Runs work on threads of the JVM server, each with a task of its own. It lasts as long as the JVM. */
public class CICSExecutorService extends AbstractExecutorService {
    /** Runs work in a task of its own: its transaction and its user are those of the task that asks. */
    public static Future<?> runAsCICS(Runnable work) {
        return Works.begin(Executors.callable(work), transaction(work), work.getClass().getClassLoader());
    }

    /** The same for work with a result. */
    public static <T> Future<T> runAsCICS(Callable<T> work) {
        return Works.begin(work, transaction(work), work.getClass().getClassLoader());
    }

    private static String transaction(Object work) {
        String named = null;
        if (work instanceof CICSTransactionRunnable runnable) {
            named = runnable.getTranid();
        } else if (work instanceof CICSTransactionCallable<?> callable) {
            named = callable.getTranid();
        }
        return named == null ? "" : named.trim();
    }

    @Override
    public void execute(Runnable work) {
        runAsCICS(work);
    }

    @Override
    public Future<?> submit(Runnable work) {
        return runAsCICS(work);
    }

    @Override
    public <T> Future<T> submit(Runnable work, T result) {
        return Works.begin(Executors.callable(work, result), transaction(work), work.getClass().getClassLoader());
    }

    @Override
    public <T> Future<T> submit(Callable<T> work) {
        return runAsCICS(work);
    }

    @Override
    public void shutdown() {
        throw new RejectedExecutionException("it ends with its JVM server");
    }

    @Override
    public List<Runnable> shutdownNow() {
        throw new RejectedExecutionException("it ends with its JVM server");
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        unit.sleep(timeout);
        return false;
    }
}
