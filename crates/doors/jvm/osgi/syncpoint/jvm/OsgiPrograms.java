package syncpoint.jvm;

import com.ibm.cics.server.CICSExecutorService;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.VersionRange;
import org.osgi.framework.hooks.bundle.CollisionHook;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/**
 * Programs in bundles of an OSGi framework, which their header {@code CICS-MainClass} names.
 *
 * <p>The region says which bundles are installed, by numbers of its own. One thread does what is done to bundles, one thing after the
 * other: an activator that lasts long keeps no task waiting.
 */
final class OsgiPrograms implements Programs {
    private static final int INSTALL = 'B';
    private static final int RETIRE = 'R';
    private static final int REPORT = 'B';

    private static final int GONE = 0;
    private static final int WAITS = 1;
    private static final int ACTIVE = 2;
    private static final int STOPPING = 3;

    /** Characters of a reason. */
    private static final int WHY_MAX = 500;
    /** The version of the classes that a framework's bundles import from here. */
    private static final String JCICS = "com.ibm.cics.server;version=\"1.900.0\"";

    private final Framework framework;
    private final ExecutorService worker =
            Executors.newSingleThreadExecutor(
                    work -> {
                        Thread thread = new Thread(work, "bundles");
                        thread.setDaemon(true);
                        return thread;
                    });
    /** The bundles that the region has asked for, by its numbers, in the order in which they came. */
    private final Map<Integer, OsgiBundle> bundles = new TreeMap<>();
    private Teller teller;

    OsgiPrograms() throws BundleException, IOException {
        Map<String, String> options = new HashMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("org.osgi.framework.") || name.startsWith("osgi.")) {
                options.put(name, System.getProperty(name));
            }
        }
        options.put(Constants.FRAMEWORK_STORAGE, System.getenv("SYNCPOINT_JVM_STORAGE"));
        options.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
        options.merge(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, JCICS, (own, ours) -> own + "," + ours);
        FrameworkFactory factory = ServiceLoader.load(FrameworkFactory.class).iterator().next();
        framework = factory.newFramework(options);
        framework.start();
        // The region knows which bundles may be there: of one name and version, too, while programs of the one before go on.
        CollisionHook mayBe = (operation, target, others) -> others.clear();
        framework.getBundleContext().registerService(CollisionHook.class, mayBe, null);
        Hashtable<String, Object> first = new Hashtable<>(Map.of(Constants.SERVICE_RANKING, Integer.MAX_VALUE));
        framework.getBundleContext().registerService(ExecutorService.class, new CICSExecutorService(), first);
        middleware(System.getenv("SYNCPOINT_JVM_BUNDLES"));
    }

    /** Installs and starts the bundles of OSGI_BUNDLES: all of them are there before the first one starts. */
    private void middleware(String paths) throws BundleException, IOException {
        List<Bundle> installed = new ArrayList<>();
        for (String path : paths == null ? new String[0] : paths.split("\n")) {
            if (!path.isEmpty()) {
                installed.add(installed(path, path));
            }
        }
        for (Bundle bundle : installed) {
            start(bundle);
        }
    }

    private Bundle installed(String location, String path) throws BundleException, IOException {
        try (InputStream content = new FileInputStream(new File(path))) {
            return framework.getBundleContext().installBundle(location, content);
        }
    }

    /** A fragment has no life of its own. */
    private static void start(Bundle bundle) throws BundleException {
        if (bundle.getHeaders().get(Constants.FRAGMENT_HOST) == null) {
            bundle.start();
        }
    }

    @Override
    public void begins(Teller teller) {
        this.teller = teller;
    }

    @Override
    public boolean hears(int kind, Reader body) {
        switch (kind) {
            case INSTALL -> {
                int number = body.i32();
                String path = body.text();
                String name = body.text();
                worker.execute(() -> install(number, path, name));
            }
            case RETIRE -> {
                int number = body.i32();
                // No program begins there from now on, whatever the worker does.
                OsgiBundle bundle = bundle(number);
                if (bundle != null) {
                    bundle.retires();
                }
                worker.execute(() -> goes(number, true));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private OsgiBundle bundle(int number) {
        synchronized (bundles) {
            return bundles.get(number);
        }
    }

    private List<OsgiBundle> all() {
        synchronized (bundles) {
            return new ArrayList<>(bundles.values());
        }
    }

    private void install(int number, String path, String name) {
        Bundle installed;
        try {
            installed = installed("syncpoint:" + number, path);
        } catch (BundleException | IOException | RuntimeException failed) {
            report(number, GONE, null, shown(failed));
            return;
        }
        if (!name.equals(installed.getSymbolicName())) {
            remove(installed);
            report(number, GONE, null, path + " is the OSGi bundle " + installed.getSymbolicName());
            return;
        }
        OsgiBundle bundle = new OsgiBundle(number, installed);
        synchronized (bundles) {
            bundles.put(number, bundle);
        }
        // Those that have waited may have waited for this one.
        for (OsgiBundle waiting : all()) {
            if (waiting.isWaiting()) {
                begins(waiting);
            }
        }
    }

    private void begins(OsgiBundle bundle) {
        try {
            start(bundle.bundle);
            bundle.begins(framework.getBundleContext());
            report(bundle.number, ACTIVE, bundle, "");
        } catch (BundleException | ClassNotFoundException | LinkageError | RuntimeException failed) {
            report(bundle.number, WAITS, bundle, shown(failed));
        }
    }

    /** A bundle goes when no program of it runs any more. */
    private void goes(int number, boolean tells) {
        OsgiBundle bundle = bundle(number);
        if (bundle == null) {
            report(number, GONE, null, "");
            return;
        }
        bundle.retires();
        bundle.unregister();
        if (bundle.isUsed()) {
            if (tells) {
                report(number, STOPPING, bundle, "");
            }
            return;
        }
        remove(bundle.bundle);
        synchronized (bundles) {
            bundles.remove(number);
        }
        report(number, GONE, null, "");
    }

    private static void remove(Bundle bundle) {
        try {
            bundle.uninstall();
        } catch (BundleException | RuntimeException failed) {
            failed.printStackTrace();
        }
    }

    private static String shown(Throwable failed) {
        String why = String.valueOf(failed.getMessage()).replaceAll("\\s+", " ");
        return why.substring(0, Math.min(why.length(), WHY_MAX));
    }

    private void report(int number, int state, OsgiBundle bundle, String why) {
        Writer body = new Writer().u8(REPORT).i32(number).u8(state).text(why);
        body.i64(bundle == null ? 0 : bundle.bundle.getBundleId());
        body.text(bundle == null ? "" : bundle.bundle.getVersion().toString());
        List<String> services = bundle == null || state != ACTIVE ? List.of() : bundle.services();
        body.u16(services.size());
        services.forEach(body::text);
        teller.tell(body);
    }

    /** {@code class}, {@code alias}, either with {@code ;version="[1.0,2.0)"} behind: the highest version that there is of it. */
    @Override
    public Use use(String name) throws ClassNotFoundException {
        int end = name.indexOf(';');
        String own = (end < 0 ? name : name.substring(0, end)).trim();
        VersionRange range = end < 0 ? null : range(name, name.substring(end + 1));
        // One that is retired meanwhile is passed over.
        while (true) {
            OsgiBundle best = null;
            for (OsgiBundle bundle : all()) {
                boolean fits = bundle.has(own) && (range == null || range.includes(bundle.version()));
                if (fits && (best == null || best.version().compareTo(bundle.version()) < 0)) {
                    best = bundle;
                }
            }
            if (best == null) {
                throw new ClassNotFoundException("no OSGi service of the name " + name);
            }
            Use use = best.use(own, this::ended);
            if (use != null) {
                return use;
            }
        }
    }

    private static VersionRange range(String name, String options) throws ClassNotFoundException {
        String given = options.trim();
        if (!given.startsWith("version=")) {
            throw new ClassNotFoundException(name + " has something else than version= behind its name");
        }
        try {
            return new VersionRange(given.substring("version=".length()).replace("\"", "").trim());
        } catch (IllegalArgumentException wrong) {
            throw new ClassNotFoundException(name + ": " + wrong.getMessage());
        }
    }

    /** The last program of a bundle has ended, and the bundle was to go. */
    private void ended(OsgiBundle bundle) {
        try {
            worker.execute(() -> goes(bundle.number, false));
        } catch (RejectedExecutionException over) {
            // The JVM ends, and all bundles with it.
        }
    }

    @Override
    public void ends() {
        worker.shutdownNow();
        try {
            framework.stop();
            framework.waitForStop(0);
        } catch (BundleException | InterruptedException failed) {
            failed.printStackTrace();
        }
    }
}
