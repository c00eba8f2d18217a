package syncpoint.jvm;

/** The programs of a JVM server: on a class path, or in bundles of an OSGi framework. */
interface Programs {
    /** The use of a program, until it is closed: nothing of it goes away before. */
    interface Use extends AutoCloseable {
        /** The class that has the main method. */
        Class<?> type();

        @Override
        void close();
    }

    /**
     * Begins the use of a program by the name that JVMCLASS has.
     *
     * @throws ClassNotFoundException there is none of the name
     */
    Use use(String name) throws ClassNotFoundException;

    /** Takes a message of the control connection; false if it is none of its kinds. */
    boolean hears(int kind, Reader body);

    /** Tells the region something over the control connection. */
    interface Teller {
        void tell(Writer body);
    }

    /** From now on the region hears what happens to programs. */
    void begins(Teller teller);

    /** Ends in order. */
    void ends();
}
