package syncpoint.jvm;

import com.ibm.cics.server.Task;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * A task that a thread of somebody else's has, as long as it serves a request: the thread of the JVM server that the region has given
 * to the task stands by until then.
 */
public final class Seat {
    private static final Shape SYNCPOINT = Shape.of("SYNCPOINT");

    private final Thread thread = Thread.currentThread();
    private final CompletableFuture<Link> given = new CompletableFuture<>();
    private final CompletableFuture<Throwable> left = new CompletableFuture<>();
    /** The region has interrupted the request's thread, and that has left: both under the lock of this. */
    private boolean interrupts;
    private boolean gone;

    private Seat() {}

    /** A request, as far as the region decides by it. */
    public record Request(String scheme, String host, String path, String query) {
        private void write(Writer body) {
            body.text(scheme).text(host).text(path).text(query);
        }
    }

    /**
     * Waits for the task of a request, which this thread has from then on.
     *
     * @throws RejectedExecutionException the region has given it none
     */
    public static Seat take(Request request) {
        return take(request::write);
    }

    private static Seat take(Consumer<Writer> says) {
        Seat seat = new Seat();
        Works.request(seat::standBy, says).whenComplete((none, rejected) -> {
            if (rejected != null) {
                seat.given.completeExceptionally(rejected);
            }
        });
        Link link = seat.link();
        Link.bind(link);
        Task.begins(link.facts());
        return seat;
    }

    private Link link() {
        while (true) {
            try {
                return given.get();
            } catch (ExecutionException failed) {
                throw new RejectedExecutionException(failed.getCause().getMessage());
            } catch (InterruptedException again) {
                // The request's thread has nothing else to wait for: the region rejects what it cannot give a task.
                continue;
            }
        }
    }

    /** The thread of the JVM server: gives its connection away until the request's thread has left. */
    private Void standBy() throws Exception {
        given.complete(Link.current());
        while (true) {
            try {
                Throwable thrown = left.get();
                if (thrown instanceof Error error) {
                    throw error;
                }
                if (thrown != null) {
                    throw thrown instanceof Exception exception ? exception : new ExecutionException(thrown);
                }
                return null;
            } catch (InterruptedException purged) {
                interrupt();
            }
        }
    }

    /** Interrupts the request's thread, unless it serves another request by now. */
    private synchronized void interrupt() {
        if (!gone) {
            interrupts = true;
            thread.interrupt();
        }
    }

    /** Lets nothing interrupt the request's thread any more: what has was for the request, not for the next one of this thread. */
    private synchronized void goes() {
        gone = true;
        if (interrupts) {
            Thread.interrupted();
        }
    }

    /** Takes the syncpoint of a request that has gone well. */
    public void commits() throws Exception {
        Link.command(SYNCPOINT);
    }

    /** The request is over; {@code thrown}: it has failed, and what is not committed is backed out. */
    public void leaves(Throwable thrown) {
        Task.begins(null);
        Link.bind(null);
        goes();
        left.complete(thrown);
    }
}
