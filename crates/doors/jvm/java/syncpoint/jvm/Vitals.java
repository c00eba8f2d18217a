package syncpoint.jvm;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** What the JVM knows of itself: its heap, its collections, its storage of classes and code. */
final class Vitals {
    private static final int MINOR = 0;
    private static final int MAJOR = 1;

    /** Bytes that minor and major collections have freed. */
    private final AtomicLongArray freed = new AtomicLongArray(2);

    Vitals() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (collector instanceof NotificationEmitter emitter) {
                emitter.addNotificationListener((notification, none) -> {
                    if (notification.getUserData() instanceof CompositeData data) {
                        collected(GarbageCollectionNotificationInfo.from(data));
                    }
                }, null, null);
            }
        }
    }

    /** Nanoseconds that this thread has used a processor. */
    static long processorTime() {
        return Threads.BEAN.getCurrentThreadCpuTime();
    }

    /** Made when it is asked first. */
    private static final class Threads {
        static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    }

    private void collected(GarbageCollectionNotificationInfo info) {
        long before = used(info.getGcInfo().getMemoryUsageBeforeGc());
        long after = used(info.getGcInfo().getMemoryUsageAfterGc());
        freed.addAndGet(kind(info.getGcName()), Math.max(0, before - after));
    }

    private static long used(Map<String, MemoryUsage> pools) {
        return pools.values().stream().mapToLong(MemoryUsage::getUsed).sum();
    }

    /** The kind of a collector: those of young objects are minor. */
    private static int kind(String collector) {
        for (String young : new String[] {"Young", "Copy", "Scavenge", "Minor", "scavenge", "partial"}) {
            if (collector.contains(young)) {
                return MINOR;
            }
        }
        return MAJOR;
    }

    /** Adds all of it to a message. */
    Writer write(Writer body) {
        long[] heap = new long[2];
        long[] code = new long[2];
        long[] classes = new long[2];
        long peak = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                peak += pool.getPeakUsage().getUsed();
                // What was left behind the last collection; a pool may not tell it.
                heap[1] += pool.getCollectionUsage() == null ? 0 : pool.getCollectionUsage().getUsed();
            } else {
                long[] sums = pool.getName().startsWith("Code") ? code : classes;
                sums[0] += pool.getUsage().getUsed();
                sums[1] += pool.getUsage().getCommitted();
            }
        }
        MemoryUsage all = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        long most = Math.max(0, all.getMax());
        body.i64(all.getCommitted()).i64(Math.max(0, all.getInit())).i64(most);
        body.i64(most == 0 ? peak : Math.min(peak, most)).i64(heap[1]);
        long[][] collections = new long[2][2];
        String policy = "";
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            String name = collector.getName();
            // Pauses are parts of cycles that another collector counts.
            if (!name.endsWith("Pauses")) {
                collections[kind(name)][0] += Math.max(0, collector.getCollectionCount());
                collections[kind(name)][1] += Math.max(0, collector.getCollectionTime());
            }
            policy = policy.isEmpty() ? family(name) : policy;
        }
        body.text(policy);
        for (int kind = MINOR; kind <= MAJOR; kind++) {
            body.i64(collections[kind][0]).i64(collections[kind][1]).i64(freed.get(kind));
        }
        return body.i64(code[0]).i64(code[1]).i64(classes[0]).i64(classes[1]);
    }

    /** The name that people give to the collectors of which one has this name. */
    private static String family(String collector) {
        if (collector.equals("Copy") || collector.equals("MarkSweepCompact")) {
            return "Serial";
        }
        return collector.startsWith("PS ") ? "Parallel" : collector.split(" ")[0];
    }
}
