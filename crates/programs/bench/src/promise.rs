//! The promises, and how a measurement beside its floor is shown.

/// A promise of SPECIFICATION.md.
pub(crate) struct Promise {
    /// Its name there.
    pub id: &'static str,
    /// The work that is measured.
    pub what: &'static str,
    /// The unit of figure and floor.
    pub unit: &'static str,
    /// The ratio of figure to floor that it must not exceed.
    pub at_most: f64,
}

const fn promise(id: &'static str, what: &'static str, unit: &'static str, at_most: f64) -> Promise {
    Promise { id, what, unit, at_most }
}

/// The ratio of a row that is measured, and not promised.
const NOT_PROMISED: f64 = f64::INFINITY;

/// All promises that are measured.
pub(crate) const PROMISES: &[Promise] = &[
    promise("null-task", "attach, a COBOL program, RETURN / a bare coroutine of 21 calls", "us", 2.0),
    promise(
        "monitoring",
        "a null task whose performance record is written / one without",
        "us",
        NOT_PROMISED,
    ),
    promise(
        "monitoring-on",
        "a transaction of the DSW kind with its performance record / without",
        "us",
        1.15,
    ),
    promise("encrypted-trace", "100 commands in an encrypted trace, 30 MB/s / in one in clear", "us", 1.2),
    promise("sums", "a null task whose work is summed up / one without", "us", 1.02),
    promise(
        "sums-instructions",
        "instructions of a null task whose work is summed up / of one whose work is not",
        "",
        1.02,
    ),
    promise("trace-internal", "instructions of a null task with the internal trace / without", "", 1.05),
    promise("spans", "instructions of a null task with a span for a collector / without", "", 1.25),
    promise(
        "policies-19",
        "instructions of a transaction of the DSW kind under 19 rules / without rules",
        "",
        1.01,
    ),
    promise(
        "capture-on",
        "instructions of a transaction of the DSW kind, events captured at another command / without",
        "",
        1.01,
    ),
    promise("security-on", "a null task with SEC=YES / one without", "us", 1.05),
    promise("link", "LINK to a COBOL program and back / XATMI call in Enduro/X", "us", 0.1),
    promise("exec-call", "EXEC CICS ASSIGN / CALL of an empty C function by GnuCOBOL, 5.3 ns", "ns", 3.0),
    promise("tcb-scaling", "elapsed per task on two TCBs / on one, divided by 1.8", "us", 1.0),
    promise("waiting-task-memory", "memory of a task in DELAY / 20 KB", "bytes", 1.0),
    promise("containers-750", "a container of 750, put and got / a container of 10", "ns", 1.2),
    promise("record-read", "EXEC CICS READ of a hot record / a read in LMDB", "ns", 2.0),
    promise("socket-listener", "accept, child: 137 in, 106 out, close / bare epoll", "us", 2.0),
    promise("socket-optimised-one", "message, LINK, answer on a second socket / bare epoll", "us", 2.0),
    promise("socket-optimised-five", "the same, five conversations at a time / bare epoll", "us", 2.0),
    promise(
        "optimised-against-ezasoket",
        "a conversation, five at a time / receiver and sender by EZASOKET",
        "us",
        0.69,
    ),
    promise("direct-path", "a message over HTTP, a program started before, answer / bare epoll", "us", 1.7),
    promise("direct-against-normal", "the same / the same by a URIMAP and a task", "us", 0.5),
    promise(
        "direct-path-select",
        "a message with one SELECT, and PostgreSQL / axum, tokio-postgres",
        "us",
        1.0,
    ),
    promise("web-sql-select", "the same by a URIMAP and a task / the same", "us", 1.0),
    promise("sql-select", "one SELECT by key in a task, the region's part / a bare client's", "us", 1.5),
    promise("sql-select-server", "the same, PostgreSQL's part / its part for the bare client", "us", 1.2),
    promise("sql-update-unit", "one row changed and committed / the same by a bare client", "us", 1.5),
    promise("sql-and-records-unit", "a record and a row in one unit of work / one of each alone", "us", 1.3),
    promise("sql-cursor-100", "100 rows, a FETCH each / by a bare client in one answer", "us", NOT_PROMISED),
    promise("java-call", "a JCICS command / a bare exchange with a JVM, and the command by COBOL", "us", 1.3),
    promise("java-link", "LINK from COBOL to an empty Java program / a bare exchange with a JVM", "us", 1.3),
    promise("java-browse", "42 records by JCICS, read ahead / a command for each record", "us", 0.5),
    promise("rtw", "a transaction of about 200 SQL statements, all processes / published", "us", 0.1),
    promise("rtw-region", "the same over the region's own tables / published", "us", 0.4),
    promise("sql-select-region", "one SELECT by key of the region's own table in a task / 3 us", "us", 1.0),
    promise("sql-cursor-region", "100 rows of the region's own table, a FETCH each / 40 us", "us", 1.0),
    promise("sql-unit-region", "a record and an own row in one unit of work / the record alone", "us", 1.2),
    promise(
        "direct-select-region",
        "direct-path-select over the region's own tables / axum, tokio-postgres",
        "us",
        0.5,
    ),
    promise(
        "web-select-region",
        "web-sql-select over the region's own tables / axum, tokio-postgres",
        "us",
        0.9,
    ),
    promise(
        "contacts-query",
        "the paper's query on the direct path / on the normal path",
        "us",
        NOT_PROMISED,
    ),
    promise("contacts-all-kinds", "create, read, two updates, read, delete / the same", "us", NOT_PROMISED),
    promise(
        "contacts-query-service",
        "the query of a service in JSON on the direct path / on the normal path",
        "us",
        NOT_PROMISED,
    ),
    promise(
        "contacts-all-kinds-service",
        "create, read, two updates, read, delete / the same",
        "us",
        NOT_PROMISED,
    ),
    promise("record-update-forced-64", "update a record, 64 to a force / ordered map, log", "us", 3.0),
    promise("record-update-forced-1", "update a record, a force each / ordered map, log", "us", 3.0),
    promise("record-update-unforced", "update a record without a force / ordered map, log", "us", 3.0),
    promise(
        "record-unit-database",
        "update a record, log and base in PostgreSQL, 64 together / here",
        "us",
        NOT_PROMISED,
    ),
    promise("record-unit-direct", "the same, records and locks in PostgreSQL / here", "us", NOT_PROMISED),
    promise("record-browse-20", "a browse of 20 records / a cursor in LMDB", "us", 3.0),
    promise("record-load", "load a record, sorted / LMDB's own load", "us", 3.0),
    promise("restart-replay", "restart with 100,000 records in the log / 1 s", "s", 1.0),
    promise("encryption", "update a record encrypted, 64 to a force / in clear", "us", 1.5),
    promise("data-table", "50 records of a data table read or updated / ordered map and log", "us", 2.5),
    promise(
        "data-table-scaling",
        "elapsed per such transaction on two TCBs / on one, divided by 1.8",
        "us",
        1.0,
    ),
    promise("save-to-screen", "from a saved source of 2,000 statements to its first task / 1 s", "s", 1.0),
    promise("auth", "a card authenticated, a connection for it / bare epoll, the same HSM", "us", 2.5),
    promise("auth-log", "the same with the Validation Log / the same floor", "us", 2.8),
    promise("auth-instructions", "instructions of an authentication / 117,158", "", 1.0),
    promise("auth-security", "auth with SEC=YES, beside its floor / auth without, beside its own", "", 1.05),
    promise("auth-linearity", "auth: ratio at the highest rate / ratio at the middle rate", "", 1.1),
    promise("auth-log-linearity", "auth-log: the same", "", 1.1),
    promise("console-open", "auth while a browser shows the console's page Now / auth", "us", 1.02),
    promise("rls-four", "a card authenticated on four clones that share records / on one region", "us", 1.25),
    promise("soap-persistent", "SOAP, COBOL, SOAP on kept connections / hyper echoes the bytes", "us", 2.5),
    promise(
        "direct-service",
        "SOAP to a program that waits, of the direct path / soap-persistent",
        "us",
        0.6,
    ),
    promise("soap-connection", "the same, a connection for each / the same", "us", 1.6),
    promise("json-persistent", "JSON, COBOL, JSON on kept connections / hyper echoes the bytes", "us", 2.5),
    promise("order-soap", "an order of 355 fields / hyper's echo and the mapping alone", "us", 1.3),
    promise("tls-full", "soap-connection over TLS 1.3, P-256 / our door and rustls echo", "us", 1.15),
    promise("tls-resumed", "the same, sessions resumed / the same", "us", 1.15),
    promise("tls-persistent", "soap-persistent over TLS / our door and rustls echo", "us", 2.5),
    promise("transparent-tls-full", "the same, a proxy ends TLS, both / proxy, hyper that echoes", "us", 1.1),
    promise("transparent-tls-resumed", "the same, resumed / the same", "us", 1.1),
    promise("transparent-tls-persistent", "the same, kept connections / the same", "us", 1.5),
    promise("web-linearity", "a request at the highest rate / at the middle rate", "us", 1.1),
    promise("slow-clients", "a request beside 1,000 half-open ones / without them", "us", 1.1),
    promise(
        "link-exchange",
        "200 bytes to another region and back, 8 in flight / a bare exchange",
        "us",
        2.0,
    ),
    promise(
        "function-shipped-read",
        "READ of a record of another region / the same here and a bare exchange",
        "us",
        NOT_PROMISED,
    ),
    promise("rls-unit", "update a record of a record server, 64 in flight / of an engine here", "us", 1.8),
    promise("dpl", "LINK to a program of another region / the same here and a bare exchange", "us", 3.0),
    promise(
        "routed-transaction",
        "a transaction of another region at a terminal / the same here and a bare exchange",
        "us",
        NOT_PROMISED,
    ),
    promise(
        "soap-routed",
        "SOAP to a program behind a routing region / to one in the same region",
        "us",
        1.35,
    ),
    promise(
        "invoke-service",
        "INVOKE SERVICE, the region that asks / a bare hyper client, the same bytes",
        "us",
        1.5,
    ),
    promise("dsw", "a transaction of DSW over five regions, static routing / published 172 us", "us", 0.1),
    promise("dsw-engine", "the same / its requests on the record engine without a region", "us", 4.0),
    promise("statement", "instructions of a statement / 50", "", 1.0),
    promise("call", "instructions of CALL with two arguments, and back / 60", "", 1.0),
    promise("compile-2000", "2,000 statements compiled / 0.1 s", "s", 1.0),
    promise("lsp-keystroke", "a keystroke in 5,000 lines, to its messages / 0.15 s", "s", 1.0),
    promise("load-100", "100 compiled programs found at a start / 5 ms", "ms", 1.0),
    promise("test-pages", "100 pages of a small application on 2 processors / 10 s", "s", 1.0),
    promise("warm-start", "warm start of a region with 50 programs / 0.5 s", "s", 1.0),
];

/// The result of a measurement.
pub(crate) struct Measured {
    /// The figure.
    pub figure: f64,
    /// The least cost of the same work.
    pub floor: f64,
    /// Further figures, for people.
    pub notes: Vec<String>,
}

impl Measured {
    /// A figure and its floor.
    pub fn new(figure: f64, floor: f64) -> Self {
        Self { figure, floor, notes: Vec::new() }
    }

    /// The same with a note.
    pub fn note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    fn ratio(&self) -> f64 {
        self.figure / self.floor
    }
}

/// The first line of `promises.tsv`.
pub(crate) const TSV_HEADING: &str = "id\twhat\tunit\tfigure\tfloor\tratio\tpromise\tholds";

/// The first line of the printed table.
pub(crate) fn heading() -> String {
    format!(
        "{:<24} {:>10} {:>10} {:<5} {:>7} {:>7}",
        "promise", "figure", "floor", "unit", "ratio", "at most"
    )
}

impl Promise {
    fn holds(&self, measured: &Measured) -> bool {
        measured.ratio() <= self.at_most
    }

    /// A line of the printed table.
    pub fn row(&self, measured: &Measured) -> String {
        let holds = if self.holds(measured) { "holds" } else { "DOES NOT HOLD" };
        let Measured { figure, floor, .. } = measured;
        format!(
            "{:<24} {:>10} {:>10} {:<5} {:>7.3} {:>7} {holds}\n{:>26}{}",
            self.id,
            significant(*figure),
            significant(*floor),
            self.unit,
            measured.ratio(),
            self.at_most,
            "",
            self.what
        )
    }

    /// A line of `promises.tsv`.
    pub fn line(&self, measured: &Measured) -> String {
        let Measured { figure, floor, .. } = measured;
        let holds = if self.holds(measured) { "yes" } else { "no" };
        format!(
            "{}\t{}\t{}\t{figure:.4}\t{floor:.4}\t{:.4}\t{}\t{holds}",
            self.id,
            self.what,
            self.unit,
            measured.ratio(),
            self.at_most
        )
    }
}

/// As many decimals as the number deserves.
fn significant(number: f64) -> String {
    match number {
        n if n >= 1000.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.3}"),
    }
}
