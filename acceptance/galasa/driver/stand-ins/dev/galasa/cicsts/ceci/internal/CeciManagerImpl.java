package dev.galasa.cicsts.ceci.internal;

/** Stands in for the framework's part of the CECI manager. */
public class CeciManagerImpl {
}
