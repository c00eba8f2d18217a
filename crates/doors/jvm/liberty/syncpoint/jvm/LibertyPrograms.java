package syncpoint.jvm;

/** Programs in applications of Liberty: there are none that a LINK reaches. */
final class LibertyPrograms implements Programs {
    @Override
    public Use use(String name) throws ClassNotFoundException {
        throw new ClassNotFoundException("no LINK reaches an application of Liberty: " + name);
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
