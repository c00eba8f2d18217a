package dev.galasa.cicsts.cemt.internal.properties;

/** Stands in for a property of the framework's store. */
public class DefaultResourceTimeout {
    public static long getInMilliseconds(dev.galasa.zos.IZosImage image) {
        return 5000;
    }
}
