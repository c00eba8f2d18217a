package work;

import com.ibm.cics.server.*;
import java.util.Random;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** Browses a file twice at the same time: by JCICS, which reads ahead, and by commands one by one. Both have to see the same. */
public class Browses {
    private static final Shape START = Shape.of("STARTBR", "FILE", "#REQID", "RIDFLD", "+GTEQ");
    private static final Shape RESET = Shape.of("RESETBR", "FILE", "#REQID", "RIDFLD", "+GTEQ");
    private static final Shape NEXT = Shape.of("READNEXT", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>");
    private static final Shape PREVIOUS = Shape.of("READPREV", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>");
    private static final Shape END = Shape.of("ENDBR", "FILE", "#REQID");
    private static final int REQID = 9999;
    private static final int KEYS = 120;

    /** The browse by commands. */
    private static final class Plain {
        private final byte[] file;
        private byte[] at;

        Plain(byte[] file, byte[] key) {
            this.file = file;
            Link.current().issue(START, file, REQID, key);
            at = java.util.Arrays.copyOf(key, 255);
        }

        String move(Shape shape) {
            Reply reply = Link.current().issue(shape, file, REQID, at, 100, 100);
            if (reply.isNormal() || reply.resp == 15) {
                at = reply.bytes("RIDFLD");
            }
            boolean has = reply.isNormal() || reply.resp == 15;
            return reply.resp + (has ? " " + new String(reply.bytes("INTO")).substring(0, 20) : "");
        }

        String reset(byte[] key) {
            Reply reply = Link.current().issue(RESET, file, REQID, key);
            if (reply.isNormal()) {
                at = java.util.Arrays.copyOf(key, 255);
            }
            return String.valueOf(reply.resp);
        }
    }

    private interface Move {
        void make() throws Exception;
    }

    private static String told(RecordHolder record, Move move) {
        try {
            record.setValue(new byte[0]);
            move.make();
            return "0" + (record.getValue().length == 0 ? "" : " " + new String(record.getValue()));
        } catch (DuplicateKeyException twin) {
            return "15 " + new String(record.getValue());
        } catch (CicsConditionException condition) {
            return String.valueOf(condition.getRESP());
        } catch (Exception other) {
            return other.toString();
        }
    }

    private static byte[] record(int number, Random random) {
        return String.format("%04dCITY%04d%08d", number, random.nextInt(12), random.nextInt(1000)).getBytes();
    }

    public static void main(CommAreaHolder area) throws Exception {
        String[] words = new String(area.getValue()).trim().split(" ");
        String said;
        try {
            said = switch (words[0]) {
                case "COUNT" -> count(words[1]);
                case "WORKS" -> works();
                default -> compare(words[1], Long.parseLong(words[2]));
            };
        } catch (Exception failed) {
            said = failed.toString();
        }
        area.setValue(String.format("%-100s", said).substring(0, 100).getBytes());
    }

    /** A page of 42 records: the exchanges that it takes. */
    private static String count(String name) throws Exception {
        KSDS file = new KSDS();
        file.setName(name);
        Random random = new Random(1);
        for (int number = 0; number < 42; number++) {
            file.write(String.format("%04d", number).getBytes(), record(number, random));
        }
        int before = Link.current().exchanges();
        KeyedFileBrowse browse = file.startBrowse("0000".getBytes(), SearchType.GTEQ);
        RecordHolder record = new RecordHolder();
        KeyHolder key = new KeyHolder();
        int read = 0;
        try {
            while (true) {
                browse.next(record, key);
                read++;
            }
        } catch (EndOfFileException end) {
            browse.end();
        }
        return read + " records, " + (Link.current().exchanges() - before) + " exchanges";
    }

    /** A record that another task changes, while the program waits for that task, is read as it is then. */
    private static String works() throws Exception {
        KSDS file = new KSDS();
        file.setName("ACCT");
        for (int number = 0; number < 10; number++) {
            file.write(String.format("%04d", number).getBytes(), record(number, new Random(number)));
        }
        Task.getTask().commit();
        KeyedFileBrowse browse = file.startBrowse("0000".getBytes(), SearchType.GTEQ);
        RecordHolder record = new RecordHolder();
        KeyHolder key = new KeyHolder();
        browse.next(record, key);
        StringBuilder said = new StringBuilder();
        for (int round = 1; round < 4; round++) {
            int number = 2 * round;
            CICSExecutorService.runAsCICS(() -> {
                file.readForUpdate(String.format("%04d", number).getBytes(), new RecordHolder());
                file.rewrite(String.format("%04dCITY%04d%08d", number, 0, 4711).getBytes());
                Task.getTask().commit();
                return null;
            }).get();
            browse.next(record, key);
            browse.next(record, key);
            said.append(new String(record.getValue()).endsWith("4711") ? " new" : " old");
        }
        browse.end();
        for (int number = 0; number < 10; number++) {
            file.delete(String.format("%04d", number).getBytes());
        }
        Task.getTask().commit();
        return said.toString().trim();
    }

    private static String compare(String name, long seed) throws Exception {
        Random random = new Random(seed);
        KSDS base = new KSDS();
        base.setName("ACCT");
        KSDS file = new KSDS();
        file.setName(name);
        boolean isPath = name.equals("CITY");
        String key = isPath ? "CITY0000" : "0000";
        for (int number = 0; number < KEYS; number += 2) {
            base.write(String.format("%04d", number).getBytes(), record(number, random));
        }
        KeyedFileBrowse ahead = file.startBrowse(key.getBytes(), SearchType.GTEQ);
        Plain plain = new Plain(name.getBytes(), key.getBytes());
        RecordHolder record = new RecordHolder();
        KeyHolder found = new KeyHolder();
        TSQ queue = new TSQ();
        queue.setName("NOTES");
        StringBuilder way = new StringBuilder();
        for (int step = 0; step < 1500; step++) {
            int chance = random.nextInt(100);
            int number = random.nextInt(KEYS);
            byte[] id = String.format("%04d", number).getBytes();
            String one = "";
            String other = "";
            if (chance < 65) {
                one = told(record, () -> ahead.next(record, found));
                other = plain.move(NEXT);
                way.append('n');
            } else if (chance < 72) {
                one = told(record, () -> ahead.previous(record, found));
                other = plain.move(PREVIOUS);
                way.append('p');
            } else if (chance < 78) {
                // There is a record at or behind it.
                byte[] to = isPath ? String.format("CITY%04d", number % 6).getBytes() : String.format("%04d", number / 2).getBytes();
                one = told(record, () -> ahead.reset(to, SearchType.GTEQ));
                other = plain.reset(to);
                way.append('r');
            } else if (chance < 84) {
                told(record, () -> base.write(id, record(number, random)));
                way.append('w');
            } else if (chance < 90) {
                told(record, () -> base.delete(id));
                way.append('d');
            } else if (chance < 95) {
                told(record, () -> {
                    base.readForUpdate(id, record);
                    base.rewrite(record(number, random));
                });
                way.append('u');
            } else {
                queue.writeString("harmless");
                way.append('h');
            }
            if (!other.isEmpty()) {
                way.append(other, 0, Math.min(6, other.length())).append(',');
            }
            if (!one.equals(other)) {
                String last = way.substring(Math.max(0, way.length() - 60));
                return step + " " + last + ": [" + one.substring(0, Math.min(8, one.length())) + "]";
            }
        }
        ahead.end();
        Link.command(END, name.getBytes(), REQID);
        return "the same";
    }
}
