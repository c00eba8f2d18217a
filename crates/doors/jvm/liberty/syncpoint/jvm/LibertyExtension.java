package syncpoint.jvm;

import jakarta.servlet.ServletContainerInitializer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceEvent;

/**
 * The bundle of the feature {@code cicsts:core} in Liberty: each request of a web application gets a task, and the region hears of the
 * JVM server when Liberty has started.
 */
public final class LibertyExtension implements BundleActivator {
    /** The service that Liberty registers when it is ready. */
    private static final String STARTED = "(objectClass=com.ibm.ws.kernel.feature.ServerStarted)";

    private final AtomicBoolean begun = new AtomicBoolean();

    @Override
    public void start(BundleContext context) throws Exception {
        if (System.getenv("SYNCPOINT_JVM_SOCKET") == null) {
            System.err.println("cicsts:core: this Liberty is not the JVM server of a region");
            return;
        }
        if (System.getenv("SYNCPOINT_JVM_STANDARD") == null) {
            context.registerService(ServletContainerInitializer.class, new RequestFilters(), null);
        }
        context.addServiceListener(
                event -> {
                    if (event.getType() == ServiceEvent.REGISTERED) {
                        live();
                    }
                },
                STARTED);
        if (context.getAllServiceReferences(null, STARTED) != null) {
            live();
        }
    }

    /** The life of the JVM server begins, once. */
    private void live() {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        Thread thread = new Thread(LibertyExtension::lives, "region");
        thread.setDaemon(true);
        thread.start();
    }

    private static void lives() {
        try {
            Server.live(LibertyPrograms::new);
        } catch (Exception failed) {
            failed.printStackTrace();
        }
    }

    @Override
    public void stop(BundleContext context) {}
}
