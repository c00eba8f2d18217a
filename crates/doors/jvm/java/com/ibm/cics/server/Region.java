package com.ibm.cics.server;

/** The region. */
public class Region extends API {
    private Region() {}

    /** Its APPLID. */
    public static String getAPPLID() {
        return Task.getTask().facts().applid;
    }

    /** Its system identifier. */
    public static String getSYSID() {
        return Task.getTask().facts().sysid;
    }
}
