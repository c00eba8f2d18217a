package work;

/** A program that does nothing. */
public class Nothing {
    public static void main(String[] none) {}
}
