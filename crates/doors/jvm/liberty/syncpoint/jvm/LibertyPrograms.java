package syncpoint.jvm;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Applications of Liberty that parts of bundles want: each is an element of a file of its own beside the server's configuration, which
 * Liberty notices. Its state is that of its management bean.
 */
final class LibertyPrograms implements Programs {
    private static final int INSTALL = 'B';
    private static final int RETIRE = 'R';
    private static final int REPORT = 'B';

    private static final int GONE = 0;
    private static final int WAITS = 1;
    private static final int ACTIVE = 2;
    private static final int STOPPING = 3;

    /** Milliseconds between two looks at applications, and those that Liberty has to start or to stop one. */
    private static final int LOOK_EVERY = 200;
    private static final long PATIENCE = 60_000;

    /** The line by which the region knows its files again, and removes them. */
    private static final String MARK = "<!-- Written by the region: without this line it is yours. -->\n";

    private static final String BEAN = "WebSphere:service=com.ibm.websphere.application.ApplicationMBean,name=";

    private final Path folder = Path.of(System.getenv("SYNCPOINT_JVM_OVERRIDES"));
    private final ScheduledExecutorService worker =
            Executors.newSingleThreadScheduledExecutor(
                    work -> {
                        Thread thread = new Thread(work, "applications");
                        thread.setDaemon(true);
                        return thread;
                    });
    /** Those that the region has asked for, in the order in which they came; the worker's alone. */
    private final List<Application> applications = new ArrayList<>();
    private Teller teller;

    private static final class Application {
        final int number;
        final String path;
        final String name;
        /** It is in the configuration. */
        boolean written;
        /** Its file is there, and is no file of the user's. */
        boolean kept;
        boolean retired;
        /** The state that the region knows; 0: none yet. */
        int told;
        long deadline = Long.MAX_VALUE;

        Application(int number, String path, String name) {
            this.number = number;
            this.path = path;
            this.name = name;
        }
    }

    @Override
    public Use use(String name) throws ClassNotFoundException {
        throw new ClassNotFoundException("no LINK reaches an application of Liberty: " + name);
    }

    @Override
    public void begins(Teller told) {
        teller = told;
        worker.scheduleWithFixedDelay(this::look, LOOK_EVERY, LOOK_EVERY, TimeUnit.MILLISECONDS);
    }

    @Override
    public boolean hears(int kind, Reader body) {
        switch (kind) {
            case INSTALL -> {
                Application asked = new Application(body.i32(), body.text(), body.text());
                worker.execute(() -> applications.add(asked));
            }
            case RETIRE -> {
                int number = body.i32();
                worker.execute(() -> retire(number));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void retire(int number) {
        for (Application one : applications) {
            if (one.number == number) {
                one.retired = true;
                one.deadline = now() + PATIENCE;
                try {
                    if (one.kept) {
                        Files.deleteIfExists(file(one));
                    }
                } catch (IOException failed) {
                    failed.printStackTrace();
                }
                report(one, STOPPING, "");
                return;
            }
        }
        report(new Application(number, "", ""), GONE, "");
    }

    private void look() {
        Iterator<Application> all = applications.iterator();
        while (all.hasNext()) {
            Application one = all.next();
            if (one.retired) {
                if (!one.written || state(one.name) == null || now() > one.deadline) {
                    all.remove();
                    report(one, GONE, "");
                }
            } else if (!one.written) {
                begin(one);
            } else {
                follow(one);
            }
        }
    }

    /** Writes an application into the configuration, once one of its name that stops has gone. */
    private void begin(Application one) {
        for (Application other : applications) {
            if (other.retired && other.name.equals(one.name)) {
                return;
            }
        }
        one.written = true;
        one.deadline = now() + PATIENCE;
        String type = one.path.substring(one.path.lastIndexOf('.') + 1);
        String text = MARK + "<server><application id=\"" + escaped(one.name) + "\" name=\"" + escaped(one.name) + "\" type=\"" + escaped(type)
                + "\" location=\"" + escaped(one.path) + "\"/></server>\n";
        Path draft = folder.resolve("syncpoint-" + one.number + ".draft");
        try {
            Files.createDirectories(folder);
            // The file is there as a whole, with its mark, and replaces none.
            Files.writeString(draft, text);
            Files.move(draft, file(one));
            one.kept = true;
        } catch (IOException failed) {
            draft.toFile().delete();
            report(one, WAITS, failed.toString());
        }
    }

    /** Tells the region once that an application has started, or is late. */
    private void follow(Application one) {
        String state = state(one.name);
        if ("STARTED".equals(state)) {
            if (one.told != ACTIVE) {
                report(one, ACTIVE, "");
            }
        } else if (one.told == ACTIVE || (one.told == 0 && now() > one.deadline)) {
            report(one, WAITS, state == null ? "Liberty has not taken it: its messages.log says why" : "it is " + state);
        }
    }

    private Path file(Application one) {
        return folder.resolve("syncpoint-" + one.number + ".xml");
    }

    private static String state(String name) {
        try {
            return String.valueOf(ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(BEAN + name), "State"));
        } catch (JMException none) {
            return null;
        }
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    private void report(Application one, int state, String why) {
        one.told = state;
        Writer body = new Writer().u8(REPORT).i32(one.number).u8(state).text(why).i64(0).text("");
        teller.tell(body.u16(0));
    }

    @Override
    public void ends() {
        worker.shutdownNow();
    }
}
