//! Units of work over records and a server that does not come back, or comes back with other data: operators see them, and
//! end them.

use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::elsewhere::Elsewhere;
use crate::house::{FREE_PORT, PATIENCE, Region, application, product};

const DEFINITIONS: &str = "
DEFINE TRANSACTION(MOVE) GROUP(INDOUBT) PROGRAM(MOVER)
DEFINE PROGRAM(MOVER) GROUP(INDOUBT) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(LOOK) GROUP(INDOUBT) PROGRAM(LOOKS)
DEFINE PROGRAM(LOOKS) GROUP(INDOUBT) CONCURRENCY(THREADSAFE)
DEFINE FILE(LEDGER) GROUP(INDOUBT) DSNAME(INDOUBT.LEDGER)
       READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";
const DATA_SETS: &str = " DEFINE CLUSTER (NAME(INDOUBT.LEDGER) INDEXED KEYS(4 0) RECORDSIZE(4 4))\n";

/// Writes a record and a row.
const MOVER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  ENTRY-RECORD            PIC X(04) VALUE '0001'.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD)
           END-EXEC
           EXEC SQL INSERT INTO MOVES VALUES (1) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Ends with RESP of a READ of the record, behind an R.
const LOOKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  ENTRY-RECORD            PIC X(04) VALUE '0001'.
       01  WS-ABEND.
           05  FILLER              PIC X VALUE 'R'.
           05  WS-CODE             PIC 999.
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('LEDGER') INTO(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD) UPDATE RESP(WS-RESP)
           END-EXEC
           MOVE WS-RESP            TO WS-CODE
           EXEC CICS ABEND ABCODE(WS-ABEND) NODUMP END-EXEC.
";
/// The endings of LOOKS: the record is there, is not there, is locked.
const THERE: &str = "R000";
const NOT_THERE: &str = "R013";
const LOCKED: &str = "R100";

/// A table whose rows take their time to be committed, until the test kills the server.
const LATE: &str = "
CREATE TABLE moves (number integer NOT NULL);
CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM pg_sleep(3600); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON moves DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION late();
ALTER TABLE moves OWNER TO syncpoint;
";

struct Working {
    folder: TempDir,
    region: Region,
    server: Elsewhere,
}

impl Working {
    /// A region and its server, which has died while it committed: the task has ended, its unit of work has not.
    fn with_a_unit_in_doubt() -> Self {
        let server = Elsewhere::start(20);
        let mut session = server.session().expect("a session");
        server.run(&mut session, LATE);
        let folder = application(&[
            ("region.toml", &format!("{FREE_PORT}[sql]\nurl = \"{}\"\n", server.url())),
            ("indoubt.csd", DEFINITIONS),
            ("indoubt.idcams", DATA_SETS),
            ("programs/MOVER.cbl", MOVER),
            ("programs/LOOKS.cbl", LOOKS),
        ]);
        let region = Region::start(folder.path());
        let mut working = Self { folder, region, server };
        let task = working.start("MOVE");
        let commits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
        let begun = Instant::now();
        while working.server.run(&mut session, commits).as_deref() != Some("1") {
            assert!(begun.elapsed() < PATIENCE, "it does not commit:\n{}", working.region.log());
            thread::sleep(Duration::from_millis(10));
        }
        drop(session);
        working.server.dies();
        said(task);
        working
    }

    fn start(&self, transaction: &str) -> Child {
        let mut command = product();
        command.args(["start", ".", transaction]).current_dir(self.folder.path()).env("NO_COLOR", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    }

    #[track_caller]
    fn record_is(&self, how: &str) {
        let text = said(self.start("LOOK"));
        assert!(text.contains(how), "{how} was expected: {text}\n{}", self.region.log());
    }

    fn cemt(&self, command: &str) -> String {
        let mut cemt = product();
        said(
            cemt.args(["cemt", ".", command])
                .current_dir(self.folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it runs"),
        )
    }

    /// The unit of work in doubt, as CEMT shows it.
    fn unit(&self) -> String {
        let shown = self.cemt("INQUIRE UOW");
        let line = shown.lines().find(|line| line.contains(" Ind ") && line.contains("Tra(MOVE)"));
        let line =
            line.unwrap_or_else(|| panic!("no unit of work is in doubt:\n{shown}\n{}", self.region.log()));
        let id = line.split_once("Uow(").and_then(|(_, rest)| rest.split_once(')'));
        id.unwrap_or_else(|| panic!("{line}")).0.to_owned()
    }

    /// The region ends in order. Its tasks have ended by abends: LOOKS tells so.
    fn ends(self) {
        self.region.signal("INT");
        let (status, log) = self.region.ended();
        assert!(status.success(), "{log}");
    }

    /// Returns the number of the table's rows.
    fn rows(&self) -> Option<String> {
        let mut session = self.server.session().expect("a session");
        self.server.run(&mut session, "SELECT count(*) FROM moves")
    }
}

/// All that a process says, when it has ended.
fn said(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn an_operator_ends_a_unit_of_work_whose_server_is_gone() {
    let mut working = Working::with_a_unit_in_doubt();
    working.record_is(LOCKED);
    let unit = working.unit();
    let done = working.cemt(&format!("SET UOW({unit}) BACKOUT"));
    working.record_is(NOT_THERE);
    let shown = working.cemt("INQUIRE UOW");
    assert!(!shown.contains(" Ind "), "{done}\n{shown}");
    // The server has not committed: it is as the operator said.
    working.server.starts();
    assert_eq!(working.rows().as_deref(), Some("0"));
    working.ends();
}

#[test]
fn a_unit_of_work_ends_by_itself_when_its_server_is_back() {
    let mut working = Working::with_a_unit_in_doubt();
    working.record_is(LOCKED);
    working.server.starts();
    let begun = Instant::now();
    while working.cemt("INQUIRE UOW").contains(" Ind ") {
        assert!(begun.elapsed() < PATIENCE, "it stays in doubt:\n{}", working.region.log());
    }
    working.record_is(NOT_THERE);
    assert_eq!(working.rows().as_deref(), Some("0"));
    working.ends();
}

#[test]
fn a_unit_of_work_whose_server_has_other_data_waits_for_an_operator() {
    let mut working = Working::with_a_unit_in_doubt();
    working.server.starts_with_other_data();
    working.region.logs("the server has other data than the one that committed");
    working.record_is(LOCKED);
    let unit = working.unit();
    working.cemt(&format!("SET UOW({unit}) COMMIT"));
    working.record_is(THERE);
    let shown = working.cemt("INQUIRE UOW");
    assert!(!shown.contains(" Ind "), "{shown}");
    working.ends();
}
