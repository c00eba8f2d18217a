package com.ibm.cics.server;

/** A resource that another region may own. */
public abstract class RemotableResource extends Resource {
    private String system = "";

    /** The region that has it; empty: the one that its definition says. */
    public final String getSysId() {
        return system;
    }

    /** Names the region that has it. */
    public final void setSysId(String system) {
        this.system = system;
    }

    /** The SYSID of a command: blanks are this region. */
    byte[] systemBytes() {
        return bytes(system);
    }
}
