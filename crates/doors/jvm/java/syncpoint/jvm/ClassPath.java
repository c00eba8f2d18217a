package syncpoint.jvm;

/** Programs on the class path of the JVM. */
final class ClassPath implements Programs {
    /** A class that stays as long as the JVM. */
    private record Loaded(Class<?> type) implements Use {
        @Override
        public void close() {}
    }

    @Override
    public Use use(String name) throws ClassNotFoundException {
        return new Loaded(Class.forName(name, true, ClassLoader.getSystemClassLoader()));
    }

    @Override
    public boolean hears(int kind, Reader body) {
        return false;
    }

    @Override
    public void begins(Teller teller) {}

    @Override
    public void ends() {}
}
