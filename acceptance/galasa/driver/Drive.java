import dev.galasa.cicsts.CicstsHashMap;
import dev.galasa.cicsts.CicstsManagerException;
import dev.galasa.cicsts.ICeci;
import dev.galasa.cicsts.ICeciResponse;
import dev.galasa.cicsts.ICeda;
import dev.galasa.cicsts.ICemt;
import dev.galasa.cicsts.ICicsRegion;
import dev.galasa.cicsts.ICicsTerminal;
import dev.galasa.cicsts.IExecInterfaceBlock;
import dev.galasa.cicsts.ceci.internal.CeciImpl;
import dev.galasa.cicsts.ceda.internal.CedaImpl;
import dev.galasa.cicsts.cemt.internal.CemtImpl;
import dev.galasa.zos3270.common.screens.TerminalSize;
import dev.galasa.zos3270.spi.Terminal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Galasa's CICS managers at a region: they get Galasa's own terminal, without the framework around it, and this says what they
 * came to. A line for each check, then how many passed.
 */
public final class Drive {
    private static final String[] INQUIRED = {"FILE PHONES", "TDQ CSSL", "TSQ ABC", "LIBRARY DFHRPL", "TCPIPSERVICE X", "URIMAP X",
        "BUNDLE X", "JVMSERVER X", "SYSTEM *"};

    private final ICicsRegion region = region();
    private final ICicsTerminal terminal;
    private int passed;
    private int failed;

    private Drive(int port) throws Exception {
        terminal = connected("T1", port);
    }

    /** Arguments: the port of the region's terminals. */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Drive drive = new Drive(port);
        drive.signOn();
        drive.cemt();
        drive.ceda();
        drive.ceci();
        drive.variables();
        drive.commands(connected(drive.region, "T2", port));
        System.out.println(drive.passed + " passed, " + drive.failed + " failed");
        System.exit(drive.failed == 0 ? 0 : 1);
    }

    private void signOn() {
        check("greeting DFHZC2312", () -> shows("DFHZC2312"));
        check("CESL sign-on", () -> {
            terminal.clear().wfk();
            terminal.type("CESL").enter().wfk();
            terminal.waitForTextInField(new String[] {"Userid"}, new String[] {"Security is not active"});
            terminal.type("OPER");
            terminal.positionCursorToFieldContaining("Password");
            terminal.tab();
            terminal.type("secret");
            terminal.enter().wfk();
            return shows("Sign-on is complete");
        });
        check("resetAndClear", () -> {
            terminal.resetAndClear();
            return true;
        });
    }

    private void cemt() throws Exception {
        ICemt cemt = new CemtImpl(region);
        check("CEMT INQUIRE PROGRAM", () -> cemt.inquireResource(terminal, "PROGRAM", "PHONE").get("program").equals("PHONE"));
        check("CEMT INQUIRE PROGRAM shows its length", () -> cemt.inquireResource(terminal, "PROGRAM", "PHONE").containsKey("length"));
        check("CEMT INQUIRE TRANSACTION", () -> cemt.inquireResource(terminal, "TRANSACTION", "BOOK").get("transaction").equals("BOOK"));
        check("CEMT INQUIRE of no program", () -> cemt.inquireResource(terminal, "PROGRAM", "NONEX") == null);
        check("CEMT INQUIRE of no name", () -> cemt.inquireResource(terminal, "PROGRAM", "!!%^") == null);
        check("CEMT INQUIRE of no transaction", () -> cemt.inquireResource(terminal, "TRANSACTION", "!$%^") == null);
        refused("CEMT INQUIRE FISH", () -> cemt.inquireResource(terminal, "FISH", "example"));
        check("CEMT SET PROGRAM DISABLED", () -> cemt.setResource(terminal, "PROGRAM", "PHONE", "DISABLED").isParameterEquals("status", "Disabled"));
        check("CEMT SET PROGRAM ENABLED", () -> cemt.setResource(terminal, "PROGRAM", "PHONE", "ENABLED").isParameterEquals("status", "Enabled"));
        refused("CEMT SET PROGRAM FOO", () -> cemt.setResource(terminal, "PROGRAM", "PHONE", "FOO"));
        refused("CEMT SET of no program", () -> cemt.setResource(terminal, "PROGRAM", "NONEX", "ENABLED"));
        refused("CEMT DISCARD of no program", () -> {
            cemt.discardResource(terminal, "PROGRAM", "NONEX");
            return true;
        });
        check("CEMT DISCARD PROGRAM", () -> {
            cemt.discardResource(terminal, "PROGRAM", "BIG");
            return cemt.inquireResource(terminal, "PROGRAM", "BIG") == null;
        });
        check("CEMT PERFORM RESET", () -> cemt.performSystemProperty(terminal, "RESET", "", "RESPONSE: NORMAL"));
        check("CEMT PERFORM STATISTICS ALL", () -> cemt.performSystemProperty(terminal, "STATISTICS", "ALL", "RESPONSE: NORMAL"));
        for (String asked : INQUIRED) {
            String[] words = asked.split(" ");
            check("CEMT INQUIRE " + words[0] + " is answered", () -> {
                CicstsHashMap values = cemt.inquireResource(terminal, words[0], words[1]);
                return values == null ? "nothing" : values.size() + " values";
            });
        }
    }

    private void ceda() {
        ICeda ceda = new CedaImpl(region);
        check("CEDA DISPLAY", () -> ceda.resourceExists(terminal, "PROGRAM", "PHONE", "FIRST"));
        check("CEDA DEFINE", () -> {
            ceda.createResource(terminal, "PROGRAM", "GALP", "GALG", null);
            return ceda.resourceExists(terminal, "PROGRAM", "GALP", "GALG");
        });
        check("CEDA INSTALL GROUP", () -> {
            ceda.installGroup(terminal, "GALG");
            return true;
        });
        check("CEDA INSTALL of a definition", () -> {
            ceda.installResource(terminal, "PROGRAM", "GALP", "GALG");
            // The manager keeps a failure to itself: what is not installed is not there.
            return new CemtImpl(region).inquireResource(terminal, "PROGRAM", "GALP").get("program").equals("GALP");
        });
        check("CEDA DELETE GROUP", () -> {
            ceda.deleteGroup(terminal, "GALG");
            return !ceda.resourceExists(terminal, "PROGRAM", "GALP", "GALG");
        });
    }

    private void ceci() {
        ICeci ceci = new CeciImpl(null, region);
        check("CECI begins", () -> {
            ceci.startCECISession(terminal);
            return true;
        });
        check("CECI has a command carried out", () -> ceci.issueCommand(terminal, "WRITEQ TS QUEUE(GAL) FROM('HELLO')").isNormal());
        check("CECI keeps a variable", () -> {
            ceci.defineVariableText(terminal, "V1", "HELLO");
            return ceci.retrieveVariableText(terminal, "V1").equals("HELLO");
        });
        check("CECI shows the EIB", () -> ceci.getEIB(terminal).getEIBTRNID(false).equals("CECI"));
        check("CECI LINKs", () -> ceci.linkProgram(terminal, "HELLO", null, null, null, false).isNormal());
    }

    /** What Galasa's own verification of its managers does with variables. */
    private void variables() {
        ICeci ceci = new CeciImpl(null, region);
        check("CECI variable: another text", () -> {
            ceci.defineVariableText(terminal, "V1", "A LONGER VALUE, with small letters");
            return ceci.retrieveVariableText(terminal, "V1").equals("A LONGER VALUE, with small letters");
        });
        String pages = "0123456789ABCDE ".repeat(200) + "END";
        check("CECI variable: a text of several pages", () -> {
            ceci.defineVariableText(terminal, "LONG", pages);
            return ceci.retrieveVariableText(terminal, "LONG").equals(pages);
        });
        check("CECI variable: bytes", () -> {
            ceci.defineVariableBinary(terminal, "BYTES", "Binary\u0000\u00ffString".toCharArray());
            return new String(ceci.retrieveVariableBinary(terminal, "BYTES")).equals("Binary\u0000\u00ffString");
        });
        char[] bytes = new char[700];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (char) (i % 256);
        }
        check("CECI variable: bytes of several pages", () -> {
            ceci.defineVariableBinary(terminal, "MANY", bytes);
            return new String(ceci.retrieveVariableBinary(terminal, "MANY")).equals(new String(bytes));
        });
        check("CECI variable: doubleword", () -> {
            ceci.defineVariableDoubleWord(terminal, "N", Long.MAX_VALUE);
            return ceci.retrieveVariableDoubleWord(terminal, "N") == Long.MAX_VALUE;
        });
        check("CECI variable: fullword", () -> {
            ceci.defineVariableFullWord(terminal, "N", Integer.MIN_VALUE);
            return ceci.retrieveVariableFullWord(terminal, "N") == Integer.MIN_VALUE;
        });
        check("CECI variable: halfword", () -> {
            ceci.defineVariableHalfWord(terminal, "N", 32767);
            return ceci.retrieveVariableHalfWord(terminal, "N") == 32767;
        });
        check("CECI variable: four bytes packed", () -> {
            ceci.defineVariable4BytePacked(terminal, "N", -9999999);
            return ceci.retrieveVariable4BytePacked(terminal, "N") == -9999999;
        });
        check("CECI variable: eight bytes packed", () -> {
            ceci.defineVariable8BytePacked(terminal, "N", 999999999999999L);
            return ceci.retrieveVariable8BytePacked(terminal, "N") == 999999999999999L;
        });
        refused("CECI variable: one that is deleted", () -> {
            ceci.deleteVariable(terminal, "N");
            return ceci.retrieveVariableText(terminal, "N");
        });
        check("CECI begins again", () -> {
            ceci.startCECISession(terminal);
            return true;
        });
        check("CECI variables: all are deleted", () -> {
            ceci.deleteAllVariables(terminal);
            ceci.defineVariableText(terminal, "V2", "X");
            return ceci.retrieveVariableText(terminal, "V2").equals("X");
        });
    }

    /** What it does with commands, while another terminal looks. */
    private void commands(ICicsTerminal other) {
        ICeci ceci = new CeciImpl(null, region);
        check("CECI: a variable that nobody has made gets a result", () -> {
            ceci.issueCommand(terminal, "ASSIGN USERID(&USER)", false);
            return ceci.retrieveVariableText(terminal, "USER").trim().equals("OPER");
        });
        check("CECI: EXEC CICS may stand before a command", () -> ceci.issueCommand(terminal, "EXEC CICS WRITE OPERATOR TEXT('GALASA WAS HERE')").isNormal());
        check("CECI: options of a map", () -> {
            Map<String, Object> put = Map.of("CONTAINER", "FRED", "CHANNEL", "FRED", "FROM", "'HELLO'");
            Map<String, Object> get = Map.of("CONTAINER", "FRED", "CHANNEL", "FRED", "INTO", "&FRED");
            boolean normal = ceci.issueCommand(terminal, "PUT", new HashMap<>(put)).isNormal();
            normal &= ceci.issueCommand(terminal, "GET", new HashMap<>(get)).isNormal();
            return normal && ceci.retrieveVariableText(terminal, "FRED").equals("HELLO");
        });
        check("CEBR: shows what CECI has written", () -> {
            ceci.defineVariableText(terminal, "DATA", "THIS IS A GALASA TEST");
            ceci.issueCommand(terminal, "WRITEQ TS QUEUE('IVTQUEUE') FROM(&DATA)").checkNormal();
            other.type("CEBR IVTQUEUE").enter().waitForKeyboard();
            boolean shown = other.retrieveScreen().contains("THIS IS A GALASA TEST");
            other.pf3().waitForKeyboard();
            other.clear().waitForKeyboard();
            ceci.issueCommand(terminal, "DELETEQ TS QUEUE('IVTQUEUE')").checkNormal();
            other.type("CEBR IVTQUEUE").enter().waitForKeyboard();
            shown &= other.retrieveScreen().contains("DOES NOT EXIST");
            other.pf3().waitForKeyboard();
            return shown;
        });
        check("CECI: LINK with a COMMAREA", () -> {
            ceci.defineVariableText(terminal, "AREA", "galasa");
            ICeciResponse response = ceci.linkProgram(terminal, "APITEST", "&AREA", null, null, false);
            Map<String, ?> values = response.getResponseOutputValues();
            return response.getEIBRESP() == 0 && ceci.retrieveVariableText(terminal, "&AREA").equals("GALASA")
                && values.get("PROGRAM").toString().trim().equals("APITEST") && values.get("COMMAREA").toString().trim().equals("GALASA");
        });
        check("CECI: LINK with a channel", () -> {
            ceci.putContainer(terminal, "MY-CHANNEL", "HOBBIT", "my-content", null, null, null).checkNormal();
            ceci.linkProgramWithChannel(terminal, "CONTTEST", "MY-CHANNEL", null, null, false).checkNormal();
            ceci.getContainer(terminal, "MY-CHANNEL", "HOBBIT", "BACK", null, null).checkNormal();
            return ceci.retrieveVariableText(terminal, "&BACK").startsWith("MY-CONTENT");
        });
        check("CECI: the EIB of a condition", () -> {
            ICeciResponse response = ceci.linkProgramWithChannel(terminal, "NOEXIST", "MY-CHANNEL", null, null, false);
            IExecInterfaceBlock eib = ceci.getEIB(terminal);
            return response.getResponse().equals("PGMIDERR") && eib.getResponse().equals("PGMIDERR") && eib.getEIBRESP() == 27
                && eib.getEIBRESP2() == 1 && eib.getEIBRSRCE(false).trim().equals("NOEXIST") && eib.getEIBDATE() > 126000;
        });
        check("CECI: the abend of a program that was LINKed to", () -> {
            ceci.linkProgram(terminal, "PRGABEND", "&AREA", null, null, false).checkAbended("OOPS");
            return true;
        });
        refused("CECI: a command with a mistake", () -> ceci.issueCommand(terminal, "READQ TS QUEUE(A) COLOUR(RED)"));
    }

    /** Something to do, and its outcome: false has failed, and anything else has passed. */
    private interface Check {
        Object run() throws Exception;
    }

    private void check(String name, Check check) {
        try {
            Object came = check.run();
            say(!Boolean.FALSE.equals(came), name, came instanceof Boolean ? "" : String.valueOf(came));
        } catch (Exception error) {
            say(false, name, causes(error) + screen());
            recover();
        }
    }

    private void refused(String name, Check check) {
        try {
            say(false, name, "was not refused: " + check.run());
        } catch (Exception error) {
            say(true, name, "");
        }
        recover();
    }

    private void say(boolean good, String name, String more) {
        passed += good ? 1 : 0;
        failed += good ? 0 : 1;
        System.out.println((good ? "ok   " : "FAIL ") + name + (more.isEmpty() ? "" : "   " + more));
        if (!good && more.isEmpty()) {
            System.out.println(screen());
        }
    }

    private void recover() {
        try {
            if (!terminal.retrieveScreen().contains("STATUS:  ")) {
                terminal.resetAndClear();
            }
        } catch (Exception error) {
            System.out.println("     " + causes(error));
        }
    }

    private static String causes(Throwable error) {
        StringBuilder text = new StringBuilder();
        for (Throwable one = error; one != null; one = one.getCause()) {
            text.append(one.getClass().getSimpleName()).append(": ").append(one.getMessage()).append(" <- ");
        }
        return text.toString();
    }

    private boolean shows(String text) {
        return terminal.retrieveScreen().contains(text);
    }

    private String screen() {
        StringBuilder rows = new StringBuilder();
        terminal.retrieveScreen().lines().forEach(row -> rows.append("\n     | ").append(row.stripTrailing()));
        return rows.toString();
    }

    private ICicsTerminal connected(String name, int port) throws Exception {
        return connected(region, name, port);
    }

    /** Galasa's terminal as its managers want it: one that belongs to a region, and comes back to where a transaction may begin. */
    private static ICicsTerminal connected(ICicsRegion region, String name, int port) throws Exception {
        Terminal terminal = new Terminal(name, "127.0.0.1", port, false, new TerminalSize(80, 24), new TerminalSize(0, 0), null,
            Charset.forName("IBM037"));
        Class<?>[] faces = {ICicsTerminal.class};
        ICicsTerminal managed = (ICicsTerminal) Proxy.newProxyInstance(Drive.class.getClassLoader(), faces, (self, method, arguments) ->
            switch (method.getName()) {
                case "getCicsRegion" -> region;
                case "resetAndClear" -> {
                    reset((ICicsTerminal) self);
                    yield self;
                }
                case "reportScreenWithCursor", "reportScreen", "reportExtendedScreen" -> self;
                case "equals" -> self == arguments[0];
                case "hashCode" -> name.hashCode();
                case "toString" -> name;
                default -> passedOn(self, terminal, method, arguments);
            });
        terminal.connect();
        managed.waitForKeyboard();
        if (!name.equals("T1")) {
            reset(managed);
            managed.type("CESL USERID=OPER,PS=secret").enter().wfk();
            reset(managed);
        }
        return managed;
    }

    private static Object passedOn(Object self, Terminal terminal, Method method, Object[] arguments) throws Throwable {
        try {
            Object came = Terminal.class.getMethod(method.getName(), method.getParameterTypes()).invoke(terminal, arguments);
            return came == terminal ? self : came;
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static void reset(ICicsTerminal terminal) throws Exception {
        for (int i = 0; i < 10; i++) {
            for (boolean pf3 : List.of(true, false)) {
                terminal.clear().wfk();
                (pf3 ? terminal.pf3() : terminal.enter()).wfk();
                if (terminal.retrieveScreen().contains("DFHAC2001")) {
                    terminal.clear().wfk();
                    return;
                }
            }
        }
        throw new CicstsManagerException("there is no screen at which a transaction may begin");
    }

    private static ICicsRegion region() {
        Class<?>[] faces = {ICicsRegion.class};
        return (ICicsRegion) Proxy.newProxyInstance(Drive.class.getClassLoader(), faces, (self, method, arguments) ->
            switch (method.getName()) {
                case "equals" -> self == arguments[0];
                case "hashCode" -> 1;
                case "toString", "getApplid" -> "FIRST";
                default -> null;
            });
    }
}
