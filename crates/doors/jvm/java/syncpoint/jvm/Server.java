package syncpoint.jvm;

import com.ibm.cics.server.AbendException;
import com.ibm.cics.server.CicsConditionException;
import com.ibm.cics.server.CommAreaHolder;
import com.ibm.cics.server.Task;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The first class of a JVM server. Its control connection says when a thread is wanted, and ends with the region; each thread has a
 * connection of its own, over which programs come one after the other.
 */
public final class Server {
    private static final int THREAD = 'T';
    private static final int INTERRUPT = 'I';
    private static final int GONE = 'G';
    private static final int VITALS = 'V';
    private static final int DUMP = 'D';
    private static final int ATTACHED = 'K';
    private static final int REJECTED = 'X';
    private static final int PROGRAM = 'P';
    private static final int WORK = 'W';
    /** Milliseconds between two messages of how the JVM is. */
    private static final int VITALS_EVERY = 1000;
    /** Messages to the region that wait to be written. */
    private static final int TOLD_MAX = 1024;

    private static final int RETURNED = 0;
    private static final int ABEND = 1;
    private static final int CONDITION = 2;
    private static final int EXCEPTION = 3;
    private static final int NO_MAIN = 4;
    private static final int NO_CLASS = 5;

    private final Path socket;
    private final String token;
    private final Carrier control;
    private final BlockingQueue<byte[]> toTell = new ArrayBlockingQueue<>(TOLD_MAX);
    private final Programs programs;
    private final Map<Integer, Thread> threads = new ConcurrentHashMap<>();

    private Server(Path socket, String token, Programs programs) throws IOException {
        this.socket = socket;
        this.token = token;
        this.programs = programs;
        control = Carrier.open(socket, token, 0);
        Works.begins(this::tell);
        programs.begins(this::tell);
    }

    /** Runs until the region does not want it any more, or is gone. */
    public static void main(String[] arguments) throws Exception {
        live(Server::programs);
    }

    /** The life of a JVM server, and of its JVM. A framework and its bundles are there before the region hears that it is. */
    static void live(Callable<Programs> begins) throws Exception {
        Path socket = Path.of(System.getenv("SYNCPOINT_JVM_SOCKET"));
        int status = 1;
        try {
            Programs programs = begins.call();
            new Server(socket, System.getenv("SYNCPOINT_JVM_TOKEN"), programs).run();
            Works.ends();
            programs.ends();
            status = 0;
        } finally {
            // Threads of the application must not outlive the region; in the orderly way its hooks run.
            if (status == 0) {
                System.exit(0);
            }
            Runtime.getRuntime().halt(status);
        }
    }

    /** What the region's environment wants: bundles of a framework, or classes of the class path. */
    private static Programs programs() throws Exception {
        String framework = System.getenv("SYNCPOINT_JVM_PROGRAMS");
        return framework == null
                ? new ClassPath()
                : (Programs) Class.forName(framework).getDeclaredConstructor().newInstance();
    }

    private void run() throws IOException {
        begin("teller", this::writeControl);
        begin("vitals", this::tellVitals);
        while (true) {
            Carrier.Message message = control.receive();
            if (message == null) {
                throw new IOException("the region is gone");
            }
            if (message.kind() == Carrier.CLOSING) {
                return;
            }
            Reader body = new Reader(message.body());
            int kind = body.u8();
            switch (kind) {
                case THREAD -> start(body.i32());
                case INTERRUPT -> interrupt(body.i32());
                case DUMP -> dump(body.u8() != 0, body.u8() != 0, body.text());
                case ATTACHED -> Works.attached(body.i32());
                case REJECTED -> Works.rejected(body.i32());
                default -> {
                    if (!programs.hears(kind, body)) {
                        throw new IOException("a message of no kind");
                    }
                }
            }
        }
    }

    private static void begin(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void dump(boolean threads, boolean heap, String path) {
        begin("dump", () -> {
            String why = Dumps.make(threads, heap, path);
            tell(new Writer().u8(DUMP).u8(why.isEmpty() ? 1 : 0).text(path).text(why));
        });
    }

    private void start(int number) {
        Thread thread = new Thread(() -> serve(number), "T8-" + number);
        thread.setDaemon(true);
        threads.put(number, thread);
        thread.start();
    }

    /** The region has let go of the thread's task: whatever it waits for ends. */
    private void interrupt(int number) {
        Thread thread = threads.get(number);
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** The life of a thread. */
    private void serve(int number) {
        try (Carrier carrier = Carrier.open(socket, token, number)) {
            boolean[] told = new boolean[Shape.COUNT_MAX];
            for (Carrier.Message message = carrier.receive(); message != null; message = carrier.receive()) {
                byte[] end = program(carrier, message, told);
                // A program may leave its thread interrupted, and a channel is closed on which such a thread writes.
                Thread.interrupted();
                carrier.send(Carrier.REPLY, message.conversation(), end);
            }
        } catch (IOException gone) {
            // The region has let go of the thread.
        } finally {
            threads.remove(number);
            tell(new Writer().u8(GONE).i32(number));
        }
    }

    /** Tells the region something. It is not written here: a channel is closed on which an interrupted thread writes. */
    private void tell(Writer body) {
        byte[] message = body.end();
        boolean isInterrupted = false;
        for (boolean isTold = false; !isTold;) {
            try {
                toTell.put(message);
                isTold = true;
            } catch (InterruptedException again) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes what the region is to be told. */
    private void writeControl() {
        try {
            while (true) {
                control.send(Carrier.REQUEST, 0, toTell.take());
            }
        } catch (IOException | InterruptedException gone) {
            // The main thread ends the process.
            control.close();
        }
    }

    /** Tells the region how the JVM is, again and again: as long as it hears nothing, the JVM stands still. */
    private void tellVitals() {
        Vitals vitals = new Vitals();
        while (true) {
            tell(vitals.write(new Writer().u8(VITALS)));
            try {
                Thread.sleep(VITALS_EVERY);
            } catch (InterruptedException none) {
                return;
            }
        }
    }

    /** Runs a program, and says how it has ended. */
    private byte[] program(Carrier carrier, Carrier.Message message, boolean[] told) {
        Reader body = new Reader(message.body());
        int kind = message.kind() == Carrier.REQUEST ? body.u8() : 0;
        if (kind != PROGRAM && kind != WORK) {
            throw new IllegalStateException("a message that is no program");
        }
        String name = body.text();
        Charset charset = Charset.forName(body.text());
        boolean isMeasured = body.u8() != 0;
        long before = isMeasured ? Vitals.processorTime() : 0;
        Facts facts = new Facts(body);
        Link link = new Link(carrier, message.conversation(), told, charset, facts);
        byte[] commarea = facts.commarea();
        Link.bind(link);
        Task.begins(facts);
        Writer end = new Writer();
        try {
            if (kind == WORK) {
                Works.run(name);
                commarea = null;
            } else {
                commarea = run(name, commarea);
            }
            Task.ends();
            end.u8(RETURNED).u8(commarea == null ? 0 : 1);
            if (commarea != null) {
                end.bytes(commarea);
            }
        } catch (AbendException abend) {
            end.u8(ABEND).text(abend.getABCODE() == null ? "" : abend.getABCODE());
        } catch (CicsConditionException condition) {
            end.u8(CONDITION).u16(condition.getRESP()).i32(condition.getRESP2()).text(String.valueOf(condition.getMessage()));
        } catch (NoMain missing) {
            end.u8(NO_MAIN).text(missing.getMessage());
        } catch (ClassNotFoundException missing) {
            end.u8(NO_CLASS).text(String.valueOf(missing.getMessage()));
        } catch (Throwable other) {
            other.printStackTrace();
            end.u8(EXCEPTION).text(other.toString());
        } finally {
            link.ends();
            Task.begins(null);
            Link.bind(null);
        }
        if (isMeasured) {
            end.i64(Math.max(0, Vitals.processorTime() - before));
        }
        return end.end();
    }

    /** {@code main(CommAreaHolder)} before {@code main(String[])}. */
    private byte[] run(String name, byte[] commarea) throws Throwable {
        try (Programs.Use use = programs.use(name)) {
            return run(name, use.type(), commarea);
        }
    }

    private static byte[] run(String name, Class<?> program, byte[] commarea) throws Throwable {
        Method main = method(program, CommAreaHolder.class);
        CommAreaHolder holder = new CommAreaHolder(commarea == null ? new byte[0] : commarea);
        Object argument = holder;
        if (main == null) {
            main = method(program, String[].class);
            argument = new String[0];
        }
        if (main == null) {
            throw new NoMain(name + " has no public static main for a CommAreaHolder or a String[]");
        }
        Thread.currentThread().setContextClassLoader(program.getClassLoader());
        try {
            main.invoke(null, argument);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        return commarea == null ? null : holder.getValue();
    }

    private static Method method(Class<?> program, Class<?> parameter) {
        try {
            Method main = program.getMethod("main", parameter);
            return Modifier.isStatic(main.getModifiers()) && Modifier.isPublic(program.getModifiers()) ? main : null;
        } catch (NoSuchMethodException missing) {
            return null;
        }
    }

    private static final class NoMain extends Exception {
        private static final long serialVersionUID = 1;

        NoMain(String message) {
            super(message);
        }
    }
}
