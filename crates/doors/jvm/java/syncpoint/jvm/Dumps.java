package syncpoint.jvm;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import javax.management.JMException;
import javax.management.ObjectName;

/** Dumps that an operator asks for. */
final class Dumps {
    private static final int TEXT_MAX = 500;

    private Dumps() {}

    /** Writes all threads to the JVM's standard output, the live objects of the heap into a file. Returns why not, or nothing. */
    static String make(boolean threads, boolean heap, String path) {
        try {
            if (threads) {
                // Not through System.out, which an application may have replaced; and not closed, since it is the JVM's own.
                new FileOutputStream(FileDescriptor.out).write(threads().getBytes(StandardCharsets.UTF_8));
            }
            if (heap) {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(path, true);
            }
            return "";
        } catch (IOException | JMException | RuntimeException | LinkageError failed) {
            String why = String.valueOf(failed);
            return why.substring(0, Math.min(TEXT_MAX, why.length()));
        }
    }

    private static String threads() throws JMException {
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        Object[] arguments = {new String[] {"-l"}};
        String[] types = {String[].class.getName()};
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(commands, "threadPrint", arguments, types);
    }
}
