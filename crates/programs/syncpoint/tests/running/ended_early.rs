//! A region that is ended while it starts: while its PostgreSQL is made or started, and while programs are compiled. It ends within a
//! limit, leaves nothing half made, and its next start is a good one.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::house::{Chance, FREE_PORT, Log, Region, application, asked_for, product, signal};
use crate::with_database::{USUAL, WithDatabase};

/// The time in which a region has ended that is ended in its start. It is long enough for a PostgreSQL that has just been made to
/// write what it has, and shorter than any of its own limits.
const GONE_IN: Duration = Duration::from_secs(15);
/// The moments in which the region is ended, from its first one on.
const MOMENTS_MS: u64 = 4_000;
/// Programs that are compiled in the background, and the statements of each.
const PROGRAMS: usize = 12;
const STATEMENTS: usize = 1_500;

/// Counts rows at the start of the region.
const COUNTS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. COUNTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ROWS PIC 9(4).
       PROCEDURE DIVISION.
           EXEC SQL SELECT COUNT(*) INTO :WS-ROWS FROM MOVES END-EXEC
           DISPLAY 'COUNTED ' WS-ROWS
           EXEC CICS RETURN END-EXEC.
";

/// A program that takes a while to be compiled.
fn long_program(name: &str) -> String {
    let mut text = format!(
        "\n       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       \
         01  A PIC S9(7)V99 COMP-3.\n       01  B PIC X(40).\n       PROCEDURE DIVISION.\n"
    );
    for number in 0..STATEMENTS {
        text += &format!("           COMPUTE A ROUNDED = A * 3 + {number}\n           MOVE A TO B\n");
    }
    text + "           EXEC CICS RETURN END-EXEC.\n"
}

/// An application with these files, and with long programs.
fn with_long_programs(files: &[(&str, &str)]) -> TempDir {
    let folder = application(files);
    let mut definitions = String::new();
    for number in 0..PROGRAMS {
        let name = format!("LONG{number:02}");
        definitions += &format!("DEFINE PROGRAM({name}) GROUP(EARLY)\n");
        definitions += &format!("DEFINE TRANSACTION(L{number:02}) GROUP(EARLY) PROGRAM({name})\n");
        fs::create_dir_all(folder.path().join("programs")).expect("a folder");
        fs::write(folder.path().join(format!("programs/{name}.cbl")), long_program(&name)).expect("written");
    }
    fs::write(folder.path().join("long.csd"), definitions).expect("written");
    folder
}

/// A region whose start is not waited for.
struct Early {
    child: Child,
    log: Arc<Log>,
}

impl Early {
    fn begin(folder: &Path) -> Self {
        let mut command = product();
        command.args(["run", "."]).current_dir(folder).env("NO_COLOR", "1");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let log = Log::of(child.stderr.take().expect("its log"));
        Self { child, log }
    }

    /// Ends it by a signal: how it has ended, and its log.
    fn ends_by(mut self, name: &str) -> (ExitStatus, String) {
        signal(&self.child, name);
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return (status, self.log.whole());
            }
            if begun.elapsed() > GONE_IN {
                let _ = self.child.kill();
                panic!("it does not end within {GONE_IN:?}:\n{}", self.log.text());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Everything in a folder of the state that is not whole.
fn unfinished(folder: &Path) -> Vec<String> {
    let state = folder.join(".syncpoint");
    let names = |of: &Path| {
        let entries = fs::read_dir(of).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let mut found = names(&state.join(USUAL));
    found.retain(|name| name.starts_with("data.new"));
    if state.join(USUAL).join("data/postmaster.pid").exists() {
        found.push("a PostgreSQL that runs".to_owned());
    }
    found
}

#[test]
fn a_region_that_is_ended_in_its_start_is_gone_soon_and_starts_again() {
    let region = format!("{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n[plt]\nstartup = [\"COUNTS\"]\n");
    let folder = WithDatabase::of(with_long_programs(&[
        ("region.toml", &region),
        ("counts.csd", "DEFINE PROGRAM(COUNTS) GROUP(EARLY)\n"),
        ("tables.sql", "CREATE TABLE MOVES (NUMBER INTEGER NOT NULL);\n"),
        ("programs/COUNTS.cbl", COUNTS),
    ]));
    let mut chance = Chance::asked_for();
    let mut cut_short = 0;
    for number in 0..asked_for("SYNCPOINT_KILLS").unwrap_or(8) {
        if number % 2 == 0 {
            // The database is made from the beginning.
            fs::remove_dir_all(folder.path().join(".syncpoint")).unwrap_or_default();
        }
        let moment = Duration::from_millis(chance.below(MOMENTS_MS));
        let region = Early::begin(folder.path());
        thread::sleep(moment);
        let (status, log) = region.ends_by("TERM");
        // Until it listens for signals, a process has the system's own way to end.
        assert!(status.success() || status.signal() == Some(15) && log.is_empty(), "after {moment:?}: {log}");
        assert!(log.is_empty() || log.contains("the region has ended"), "after {moment:?}: {log}");
        let is_cut_short = log.contains("ends before it has started") || log.contains("is given up");
        cut_short += usize::from(is_cut_short);
        assert_eq!(unfinished(folder.path()), Vec::<String>::new(), "after {moment:?}: {log}");
    }
    assert!(cut_short > 0, "each of them had all that it starts");
    let region = Region::start(folder.path());
    region.logs("COUNTED 0000");
    assert!(!region.log().contains("SPTC"), "{}", region.log());
    let terminal = region.terminal();
    region.end(terminal);
}

#[test]
fn nothing_waits_for_programs_that_are_compiled_in_the_background() {
    let folder = with_long_programs(&[("region.toml", FREE_PORT)]);
    let region = Region::start(folder.path());
    let begun = Instant::now();
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success() && begun.elapsed() < GONE_IN, "{log}");
    let kept = fs::read_dir(folder.path().join(".syncpoint/programs")).expect("compiled programs").count();
    assert!(kept < PROGRAMS, "the region has ended before its programs were compiled: {kept}");
    assert!(!log.contains("do not build"), "{log}");
}
