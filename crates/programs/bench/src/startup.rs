//! The warm start of a region: the real binary, as a child process.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::Options;
use crate::clock::{median, processor_time_of_children, progress};
use crate::promise::Measured;

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Programs of the application.
const PROGRAMS: usize = 50;
/// Statements of each program.
pub(crate) const STATEMENTS: usize = 200;
/// The floor: seconds of processor time.
const FLOOR: f64 = 0.5;
/// The application's region.toml.
const REGION: &str = r#"programs = ["."]
csd = ["bench.csd"]

[listen]
tn3270 = ["127.0.0.1:0"]
"#;
/// The text that the region prints when it serves terminals.
const SERVES: &str = "Press Ctrl-C";
/// The text of its log when all programs are there.
const IN_PLACE: &str = "in place";

/// Starts a region whose programs are compiled already, until it serves and has looked at every program; its end is
/// in the figure, too.
pub(crate) fn warm(options: &Options) -> Result<Measured, String> {
    let programs = options.size(PROGRAMS, 2);
    let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
    application(folder.path(), programs).map_err(|error| format!("the application: {error}"))?;
    let binary = binary()?;
    progress(&format!("warm-start: {programs} programs are compiled"));
    start_and_end(&binary, folder.path())?;
    let mut times = Vec::new();
    let rounds = options.size(ROUNDS, 1);
    for round in 1..=rounds {
        progress(&format!("warm-start: round {round} of {rounds}"));
        let before = processor_time_of_children();
        start_and_end(&binary, folder.path())?;
        times.push(processor_time_of_children() - before);
    }
    progress("");
    Ok(Measured::new(median(times), FLOOR).note(format!("{programs} programs of {STATEMENTS} statements")))
}

/// The product, beside this program.
pub(crate) fn binary() -> Result<PathBuf, String> {
    beside("syncpoint")
}

/// Finds a program that was built beside this one.
pub(crate) fn beside(name: &str) -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = this.with_file_name(name);
    if program.is_file() { Ok(program) } else { Err(format!("{} is not built", program.display())) }
}

/// Writes an application of so many programs.
fn application(folder: &Path, programs: usize) -> std::io::Result<()> {
    let mut csd = String::new();
    for number in 1..=programs {
        let name = format!("PROG{number:02}");
        csd += &format!(
            "  DEFINE PROGRAM({name}) GROUP(BENCH)\n  DEFINE TRANSACTION(T{number:03}) GROUP(BENCH) PROGRAM({name})\n"
        );
        std::fs::write(folder.join(format!("{name}.cbl")), program(&name))?;
    }
    std::fs::write(folder.join("bench.csd"), csd)?;
    std::fs::write(folder.join("region.toml"), REGION)
}

/// A program of [`STATEMENTS`] statements.
pub(crate) fn program(name: &str) -> String {
    let statement = "           ADD 1 TO WS-COUNT.\n           EXEC CICS ASSIGN SYSID(WS-SYSID) END-EXEC.\n";
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       \
         WORKING-STORAGE SECTION.\n       01 WS-COUNT PIC S9(8) COMP VALUE 0.\n       01 WS-SYSID PIC X(4).\n       \
         PROCEDURE DIVISION.\n{}           EXEC CICS RETURN END-EXEC.\n",
        statement.repeat(STATEMENTS / 2)
    )
}

/// Runs the region until it serves and everything is in place, and ends it in order.
fn start_and_end(binary: &Path, application: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", binary.display());
    let mut region = Command::new(binary)
        .arg("run")
        .arg(application)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let id = i32::try_from(region.id()).map_err(|error| error.to_string())?;
    // Both stay open until the region has ended: it has something to say then, too.
    let mut output = region.stdout.take().map(BufReader::new).ok_or("no output to read")?;
    let mut log = region.stderr.take().map(BufReader::new).ok_or("no log to read")?;
    let mut said = String::new();
    let ready = wait_for(SERVES, &mut output, &mut said) && wait_for(IN_PLACE, &mut log, &mut said);
    // A region that has ended by itself is waited for below.
    let _ = kill(Pid::from_raw(id), Signal::SIGINT);
    // For people only: what cannot be read is not worth another message.
    let _ = log.read_to_string(&mut said);
    let status = region.wait().map_err(failed)?;
    if ready && status.success() { Ok(()) } else { Err(format!("the region ended with {status}:\n{said}")) }
}

/// Reads until a line holds the text; false at the end.
fn wait_for(text: &str, from: &mut impl BufRead, said: &mut String) -> bool {
    loop {
        let start = said.len();
        match from.read_line(said) {
            Ok(0) | Err(_) => return false,
            Ok(_) if said[start..].contains(text) => return true,
            Ok(_) => {}
        }
    }
}
