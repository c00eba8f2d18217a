package syncpoint.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.Version;

/**
 * A bundle that the region has asked for, with the programs that it offers.
 *
 * <p>It waits (for what it imports), is active, retires (programs that run go on, none begins), and is gone.
 */
final class OsgiBundle {
    /** Programs of a bundle. */
    private static final int SERVICES_MAX = 256;

    /** The region's number. */
    final int number;

    final Bundle bundle;
    /** Classes of its programs by their names and their aliases. */
    private final Map<String, Class<?>> programs = new HashMap<>();
    /** Programs as services are named: by alias, else by class. */
    private final List<String> services = new ArrayList<>();

    private final List<ServiceRegistration<?>> registered = new ArrayList<>();
    private boolean active;
    private boolean retired;
    private int uses;

    OsgiBundle(int number, Bundle bundle) {
        this.number = number;
        this.bundle = bundle;
    }

    Version version() {
        return bundle.getVersion();
    }

    synchronized boolean isWaiting() {
        return !active && !retired;
    }

    synchronized boolean isUsed() {
        return uses > 0;
    }

    synchronized boolean has(String name) {
        return active && !retired && programs.containsKey(name);
    }

    synchronized List<String> services() {
        return new ArrayList<>(services);
    }

    /** Its header: {@code a.B;alias=x, c.D}. Each of these is a service of the framework from now on. */
    void begins(BundleContext context) throws ClassNotFoundException {
        Map<String, Class<?>> found = new HashMap<>();
        List<String> names = new ArrayList<>();
        String header = bundle.getHeaders("").get("CICS-MainClass");
        for (String entry : header == null ? new String[0] : header.split(",")) {
            String[] words = entry.split(";");
            String type = words[0].trim();
            if (type.isEmpty()) {
                continue;
            }
            String alias = type;
            for (int i = 1; i < words.length; i++) {
                String word = words[i].trim();
                if (word.startsWith("alias=")) {
                    alias = word.substring("alias=".length()).replace("\"", "").trim();
                }
            }
            Class<?> program = bundle.loadClass(type);
            found.put(type, program);
            found.put(alias, program);
            names.add(alias);
        }
        if (names.size() > SERVICES_MAX) {
            throw new IllegalStateException("CICS-MainClass names more than " + SERVICES_MAX + " classes");
        }
        synchronized (this) {
            programs.putAll(found);
            services.addAll(names);
            active = true;
        }
        for (String name : names) {
            Hashtable<String, Object> properties = new Hashtable<>();
            properties.put("name", name);
            properties.put("version", version().toString());
            registered.add(context.registerService(OsgiBundle.class.getName(), this, properties));
        }
    }

    /** No program of it begins from now on. */
    synchronized void retires() {
        retired = true;
    }

    /** Its programs are no services any more. */
    void unregister() {
        registered.forEach(ServiceRegistration::unregister);
        registered.clear();
    }

    /** Begins a program; {@code null} if it has retired meanwhile. Its last program tells of its end, if it has. */
    synchronized Programs.Use use(String name, Consumer<OsgiBundle> ended) {
        Class<?> type = has(name) ? programs.get(name) : null;
        if (type == null) {
            return null;
        }
        uses++;
        return new Programs.Use() {
            @Override
            public Class<?> type() {
                return type;
            }

            @Override
            public void close() {
                synchronized (OsgiBundle.this) {
                    uses--;
                    if (!retired || uses > 0) {
                        return;
                    }
                }
                ended.accept(OsgiBundle.this);
            }
        };
    }
}
