import dev.galasa.zos3270.common.screens.TerminalSize;
import dev.galasa.zos3270.spi.Field;
import dev.galasa.zos3270.spi.Terminal;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Galasa's terminal behind lines of text, for galasa_driver.py: a word and its argument in, lines of data and "ok" or
 * "error ..." out. It says what the terminal says and decides nothing.
 */
public final class GalasaTerminal {
    private final Terminal terminal;

    private GalasaTerminal(String host, int port, int rows, int columns, String codePage) throws Exception {
        terminal = new Terminal("T1", host, port, false, new TerminalSize(80, 24), new TerminalSize(columns, rows), null,
            Charset.forName(codePage));
        terminal.connect();
    }

    /** Arguments: host, port, rows and columns of the alternate size, code page. */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // What the library logs must not stand between the answers.
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        GalasaTerminal self = new GalasaTerminal(arguments[0], Integer.parseInt(arguments[1]),
            Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]), arguments[4]);
        out.println("ok");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int space = line.indexOf(' ');
            String word = space < 0 ? line : line.substring(0, space);
            try {
                self.perform(word, space < 0 ? "" : line.substring(space + 1), out);
                out.println("ok");
            } catch (Exception error) {
                out.println("error " + error.getClass().getSimpleName() + ": " + error.getMessage());
            }
        }
        System.exit(0);
    }

    private void perform(String word, String argument, PrintStream out) throws Exception {
        switch (word) {
            case "screen" -> visible().lines().forEach(row -> out.println("data: " + row));
            case "size" -> out.println("data: " + terminal.getScreen().getNoOfRows() + " " + columns());
            case "cursor" -> out.println("data: " + terminal.getScreen().getCursor() / columns() + " "
                + terminal.getScreen().getCursor() % columns());
            case "connected" -> out.println("data: " + terminal.isConnected());
            case "keyboard" -> terminal.getScreen().waitForKeyboard(Integer.parseInt(argument));
            case "type" -> terminal.type(argument);
            case "move" -> move(argument);
            case "tab" -> terminal.tab();
            case "backtab" -> terminal.backTab();
            case "home" -> terminal.home();
            case "eraseeof" -> terminal.eraseEof();
            case "key" -> Terminal.class.getMethod(argument).invoke(terminal);
            default -> throw new IllegalArgumentException("there is no " + word);
        }
    }

    /** The rows as a person sees them: dark fields are blank. */
    private String visible() {
        StringBuilder rows = new StringBuilder(terminal.retrieveScreen());
        for (Field field : terminal.getScreen().calculateFields()) {
            // What is bright counts as not displayed there.
            boolean dark = !field.isUnformatted() && !field.isDisplay() && !field.isIntenseDisplay();
            for (int offset = 1; dark && offset <= field.length(); offset++) {
                // A field may go on at the top; each row ends with a line feed.
                int at = (field.getStart() + offset) % (terminal.getScreen().getNoOfRows() * columns());
                rows.setCharAt(at + at / columns(), ' ');
            }
        }
        return rows.toString();
    }

    private int columns() {
        return terminal.getScreen().getNoOfColumns();
    }

    /** Row and column, both from 1. */
    private void move(String place) throws Exception {
        String[] numbers = place.split(" ");
        terminal.setCursorPosition(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
    }
}
