package dev.galasa.zosliberty;

/** Stands in for a manager that is not used here. */
public class ZosLibertyServerException extends Exception {
}
