package com.ibm.cics.server;

/** A file whose records have keys. */
public abstract class KeyedFile extends File {}
