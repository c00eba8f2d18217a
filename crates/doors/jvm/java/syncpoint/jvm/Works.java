package syncpoint.jvm;

import com.ibm.cics.server.Task;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Work that waits for a task of its own. The region attaches the task, which comes to a thread and asks for the work by its number. */
public final class Works {
    private static final int ATTACH = 'A';
    private static final int REQUEST = 'Q';
    /** Works that wait for their tasks. */
    private static final int WAITING_MAX = 10_000;
    /** Bytes of a message about a request: the region hears none that is twice as long. */
    private static final int REQUEST_MAX = 64 << 10;

    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final Map<Integer, Work<?>> WAITING = new ConcurrentHashMap<>();
    /** Works of which the region has not said yet that it attaches their tasks. */
    private static final Map<Integer, CompletableFuture<Void>> ASKED = new ConcurrentHashMap<>();
    private static volatile Programs.Teller teller;

    private Works() {}

    /** Work, and what it comes to. An exception is that of the future, and backs out what the task has done. */
    private record Work<T>(Callable<T> body, CompletableFuture<T> future, ClassLoader loader) {
        void run() throws Exception {
            Thread.currentThread().setContextClassLoader(loader);
            T result;
            try {
                result = body.call();
            } catch (Throwable thrown) {
                future.completeExceptionally(thrown);
                throw thrown;
            }
            future.complete(result);
        }
    }

    static void begins(Programs.Teller told) {
        teller = told;
    }

    /** Rejects all works: the region is not heard any more. One that comes at this moment rejects itself. */
    static void ends() {
        teller = null;
        WAITING.keySet().forEach(Works::rejected);
        ASKED.keySet().forEach(Works::attached);
    }

    /** Tells the region of work that waits, or rejects the work if the region has gone meanwhile. */
    private static void tell(Programs.Teller region, int number, Writer message) {
        if (teller == null) {
            rejected(number);
        } else {
            region.tell(message);
        }
    }

    /** Has the region attach a task of a transaction; none: that of the task of this thread. */
    public static <T> Future<T> begin(Callable<T> body, String transaction, ClassLoader loader) {
        Programs.Teller region = region();
        Task parent = Task.getTask();
        if (Link.isThere()) {
            Link.current().hasWorks();
        }
        int number = NEXT.incrementAndGet();
        CompletableFuture<T> future = new CompletableFuture<>();
        WAITING.put(number, new Work<>(body, future, loader));
        int task = parent == null ? 0 : parent.getTaskNumber();
        CompletableFuture<Void> asked = new CompletableFuture<>();
        ASKED.put(number, asked);
        tell(region, number, new Writer().u8(ATTACH).i32(number).i32(task).text(transaction));
        // The task that asks must be there until then: the new one is its child.
        asked.join();
        return future;
    }

    /** Has the region attach the task of an HTTP request: the rest of the message says which one it is. */
    static CompletableFuture<Void> request(Callable<Void> body, Consumer<Writer> says) {
        Programs.Teller region = region();
        int number = NEXT.incrementAndGet();
        Writer message = new Writer().u8(REQUEST).i32(number);
        says.accept(message);
        if (message.length() > REQUEST_MAX) {
            throw new RejectedExecutionException("a request of more than " + REQUEST_MAX + " bytes");
        }
        CompletableFuture<Void> future = new CompletableFuture<>();
        WAITING.put(number, new Work<>(body, future, null));
        tell(region, number, message);
        return future;
    }

    /** The region, if it is there and no more works wait than may. */
    private static Programs.Teller region() {
        if (WAITING.size() >= WAITING_MAX) {
            throw new RejectedExecutionException("more than " + WAITING_MAX + " works wait for tasks");
        }
        Programs.Teller region = teller;
        if (region == null) {
            throw new RejectedExecutionException("the JVM server is not there");
        }
        return region;
    }

    /** The region attaches the task. */
    static void attached(int number) {
        CompletableFuture<Void> asked = ASKED.remove(number);
        if (asked != null) {
            asked.complete(null);
        }
    }

    /** The region cannot attach the task, or it has ended before it came here. */
    static void rejected(int number) {
        Work<?> work = WAITING.remove(number);
        attached(number);
        if (work != null) {
            work.future.completeExceptionally(new RejectedExecutionException("the region has not run its task"));
        }
    }

    /** A task has come for its work. */
    static void run(String number) throws Exception {
        Work<?> work = WAITING.remove(Integer.valueOf(number));
        if (work == null) {
            throw new IllegalStateException("there is no work of the number " + number);
        }
        work.run();
    }
}
