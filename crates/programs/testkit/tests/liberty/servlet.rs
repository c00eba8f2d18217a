//! The servlet of the tests.

/// `/app/work?WHAT`.
pub(crate) const WORK: &str = r#"
package app;

import com.ibm.cics.server.*;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.*;
import java.io.IOException;
import java.io.PrintWriter;

@WebServlet(value = "/work", asyncSupported = true)
public class Work extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String what = request.getQueryString();
        try (PrintWriter out = response.getWriter()) {
            out.print(answer(what, request));
        } catch (CicsConditionException condition) {
            throw new IllegalStateException(condition);
        }
    }

    private static String answer(String what, HttpServletRequest request) throws CicsConditionException {
        if (what.startsWith("hold=")) {
            return hold(what.substring(5));
        }
        switch (what) {
            case "page":
                return page();
            case "keep":
                write("KEEP" + what, "KEEP");
                return "kept";
            case "throw":
                write("KEEP" + what, "KEEP");
                record("THROWN");
                throw new IllegalArgumentException("it fails");
            case "abend":
                write("KEEP" + what, "KEEP");
                Task.getTask().abend("WABD");
                return "it goes on";
            case "condition":
                write("KEEP" + what, "KEEP");
                return read("NOWHERE");
            case "look":
                String text = "";
                for (String name : new String[] {"keep", "throw", "abend", "condition"}) {
                    text += name + "=" + found("KEEP" + name) + " ";
                }
                return text;
            case "async":
                return async(request);
            case "thread":
                return thread();
            case "mine":
                return Task.getTask().getTransactionName();
            case "again":
                delete("GO");
                return "again";
            default:
                return Task.getTask() == null ? "no task" : Integer.toString(Task.getTask().getTaskNumber());
        }
    }

    private static String page() throws CicsConditionException {
        write("PAGE", "one");
        record("KEY1");
        KSDS file = new KSDS();
        file.setName("LEDGER");
        RecordHolder record = new RecordHolder();
        file.read("KEY1    ".getBytes(), record);
        Program adds = new Program();
        adds.setName("ADDS");
        byte[] area = "abcdefgh".getBytes();
        adds.link(area);
        Task task = Task.getTask();
        return task.getTransactionName() + " " + task.getUSERID() + " " + task.getSTARTCODE().trim() + " item=" + read("PAGE")
                + " record=" + new String(record.getValue()).substring(0, 8).trim() + " linked=" + new String(area);
    }

    private static TSQ queue(String name) {
        TSQ queue = new TSQ();
        queue.setName(name);
        return queue;
    }

    private static void write(String name, String text) throws CicsConditionException {
        queue(name).writeString(text);
    }

    private static String read(String name) throws CicsConditionException {
        ItemHolder item = new ItemHolder();
        queue(name).readItem(1, item);
        return item.getStringValue();
    }

    private static void delete(String name) throws CicsConditionException {
        queue(name).delete();
    }

    private static String found(String name) throws CicsConditionException {
        try {
            return read(name);
        } catch (InvalidQueueIdException none) {
            return "none";
        }
    }

    private static void record(String key) throws CicsConditionException {
        KSDS file = new KSDS();
        file.setName("LEDGER");
        file.write(String.format("%-8s", key).getBytes(), String.format("%-16s", key).getBytes());
    }

    /** Writes a record and a queue, and waits for GO. */
    private static String hold(String name) throws CicsConditionException {
        record("HOLD" + name);
        write("KEEP" + name, "KEEP");
        while (found("GO").equals("none")) {
            try {
                Thread.sleep(5);
            } catch (InterruptedException over) {
                throw new IllegalStateException(over);
            }
        }
        return "held " + Task.getTask().getTaskNumber();
    }

    private static String async(HttpServletRequest request) {
        String number = Integer.toString(Task.getTask().getTaskNumber());
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            return request.getAttribute("first") + " " + number;
        }
        request.setAttribute("first", number);
        request.startAsync().dispatch();
        return "";
    }

    private static String thread() {
        try {
            String[] told = new String[1];
            Thread own = new Thread(() -> told[0] = Task.getTask() == null ? "no task" : "a task");
            own.start();
            own.join();
            return told[0] + ", " + CICSExecutorService.runAsCICS(() -> Task.getTask().getTransactionName()).get()
                    + " by CICSExecutorService";
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
"#;
