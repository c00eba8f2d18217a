package work;

import com.ibm.cics.server.*;
import syncpoint.jvm.Link;
import syncpoint.jvm.Reply;
import syncpoint.jvm.Shape;

/** Work of the kind that the COMMAREA names, so often. */
public class Work {
    private static final int PAGE = 42;
    private static final int REQID = 9999;
    private static final Shape START = Shape.of("STARTBR", "FILE", "#REQID", "RIDFLD", "+GTEQ");
    private static final Shape NEXT = Shape.of("READNEXT", "FILE", "#REQID", "RIDFLD<>", "INTO>", "#LENGTH<>");
    private static final Shape END = Shape.of("ENDBR", "FILE", "#REQID");

    public static void main(CommAreaHolder area) throws Exception {
        String words = new String(area.getValue());
        int times = Integer.parseInt(words.substring(1, 9));
        for (int i = 0; i < times; i++) {
            switch (words.charAt(0)) {
                case 'Q' -> item();
                case 'B' -> ahead();
                default -> one();
            }
        }
    }

    private static void item() throws Exception {
        TSQ queue = new TSQ();
        queue.setName("BENCHQ");
        queue.readItem(1, new ItemHolder());
    }

    private static void ahead() throws Exception {
        KSDS file = new KSDS();
        file.setName("RECORDS");
        KeyedFileBrowse browse = file.startBrowse("00000000".getBytes(), SearchType.GTEQ);
        RecordHolder record = new RecordHolder();
        KeyHolder key = new KeyHolder();
        for (int i = 0; i < PAGE; i++) {
            browse.next(record, key);
        }
        browse.end();
    }

    /** The same, a command for each record. */
    private static void one() {
        byte[] file = "RECORDS".getBytes();
        byte[] key = "00000000".getBytes();
        Link.command(START, file, REQID, key);
        for (int i = 0; i < PAGE; i++) {
            Reply reply = Link.command(NEXT, file, REQID, key, 1000, 1000);
            key = reply.bytes("RIDFLD");
        }
        Link.command(END, file, REQID);
    }
}
