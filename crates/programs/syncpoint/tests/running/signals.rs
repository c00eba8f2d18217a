//! Every signal of the machine, sent to a region and to a job by a stranger: it passes, or it ends them, and nothing that was
//! committed is lost.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::ending::{count, counting};
use crate::house::{FREE_PORT, Region, application, product, signal};

/// The outcome of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing is seen of it.
    Passes,
    /// A region ends in order; a job ends at once, and what it has not committed is backed out.
    Ends,
    /// The end comes at once; the next start finds what was committed.
    EndsAtOnce,
    /// Everything rests until SIGCONT, and goes on.
    Rests,
}

/// Returns the outcome of each signal that there is, by its number.
fn outcome(number: i32) -> Outcome {
    match number {
        // INT, TERM; HUP where no terminal can hang up has the region read its users again.
        2 | 15 => Outcome::Ends,
        // QUIT, ILL, TRAP, ABRT, BUS, FPE, KILL, SEGV, SYS.
        3..=9 | 11 | 31 => Outcome::EndsAtOnce,
        // STOP, TSTP, TTIN, TTOU.
        19..=22 => Outcome::Rests,
        _ => Outcome::Passes,
    }
}

const LAST: i32 = 64;
/// Signals that the C library keeps for itself: their outcome depends on what it has used them for.
const LIBRARY: std::ops::RangeInclusive<i32> = 32..=33;

/// The signals with one of these outcomes. A shell that has started the tests in the background has them ignore INT and QUIT, and what
/// they start as well: those are left out then.
fn numbers(of: &[Outcome]) -> Vec<i32> {
    let ignored = ignored();
    let is_left_out = |number: &i32| !of.contains(&Outcome::Passes) && ignored & 1 << (number - 1) != 0;
    let all = (1..=LAST).filter(|number| !LIBRARY.contains(number));
    all.filter(|number| of.contains(&outcome(*number)) && !is_left_out(number)).collect()
}

/// A bit for each signal that this process ignores.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this process");
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("its signals");
    u64::from_str_radix(bits.trim(), 16).expect("bits")
}

/// Sends signals until the process has ended: of those of faults, a handler of the language takes the first one.
fn end_by(number: i32, mut child_has_ended: impl FnMut() -> bool, mut send: impl FnMut(&str)) {
    for _ in 0..2 {
        send(&number.to_string());
        for _ in 0..100 {
            if child_has_ended() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    panic!("signal {number} does not end it");
}

#[test]
fn signals_that_mean_nothing_to_a_region_pass() {
    let folder = counting();
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    let numbers = numbers(&[Outcome::Passes, Outcome::Rests]);
    assert!(numbers.len() > 50, "{numbers:?}");
    for (before, number) in (0..).zip(numbers) {
        region.signal(&number.to_string());
        if outcome(number) == Outcome::Rests {
            region.signal("CONT");
        }
        assert_eq!(count(&mut terminal), before + 1, "behind signal {number}");
    }
    region.signal("TERM");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
}

#[test]
fn signals_that_end_a_region_lose_nothing() {
    let folder = counting();
    for (before, number) in (0..).zip(numbers(&[Outcome::Ends, Outcome::EndsAtOnce])) {
        let region = Region::start(folder.path());
        assert_eq!(count(&mut region.terminal()), before + 1, "behind the signal before {number}");
        end_by(number, || !region.is_running(), |name| region.signal(name));
        let (status, log) = region.ended();
        match outcome(number) {
            Outcome::Ends => {
                assert!(status.success() && log.contains("the region has ended"), "{number}: {log}")
            }
            _ => assert_eq!(status.signal(), Some(number), "{log}"),
        }
    }
}

/// Writes a record, which is committed, says so, and rests for a moment, again and again.
const WRITES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WRITES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO OUT ORGANIZATION INDEXED
               ACCESS DYNAMIC RECORD KEY K FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  F.
       01  R.
           05  K PIC 9(8).
           05  T PIC X(12).
       WORKING-STORAGE SECTION.
       77  FS PIC XX.
       77  N PIC 9(8) VALUE 0.
       77  MOMENT PIC S9(18) COMP VALUE 20000000.
       PROCEDURE DIVISION.
           OPEN I-O F
           PERFORM UNTIL FS NOT = '00'
               ADD 1 TO N
               MOVE N TO K
               MOVE 'IT IS WHOLE' TO T
               WRITE R
               DISPLAY 'WROTE ' N ' ' FS
               CALL 'CBL_OC_NANOSLEEP' USING MOMENT
           END-PERFORM.
           GOBACK.
";
const DEFINE: &str = " DELETE SIGNALS.DATA CLUSTER\n SET MAXCC = 0\n\
    \x20DEFINE CLUSTER (NAME(SIGNALS.DATA) INDEXED KEYS(8 0) RECORDSIZE(20 20))\n\
    \x20REPRO INFILE(IN) OUTDATASET(SIGNALS.DATA)\n";
/// A recoverable file: changes of others are on the disk a moment after their commit.
const RECOVERABLE: &str = "DEFINE FILE(OUT) GROUP(S) DSNAME(SIGNALS.DATA) RECOVERY(BACKOUTONLY)\n";
const JOB: &str = "//J JOB\n//S EXEC PGM=WRITES\n//OUT DD DSN=SIGNALS.DATA,DISP=SHR\n";

fn writing() -> TempDir {
    application(&[
        ("region.toml", FREE_PORT),
        ("writes.csd", RECOVERABLE),
        ("programs/WRITES.cbl", WRITES),
        ("job.jcl", JOB),
        ("define.idcams.txt", DEFINE),
        ("out.idcams.txt", " REPRO INDATASET(SIGNALS.DATA) OUTFILE(OUT)\n"),
        ("in.txt", "00000000IT IS WHOLE \n"),
    ])
}

/// A job that writes, and the lines that it has written.
struct Job {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Job {
    fn start(folder: &Path) -> Self {
        let mut child = product()
            .args(["batch", "--jcl", "job.jcl"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("syncpoint starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        Self { child, lines }
    }

    /// Waits for a line; returns the number of the record that it names.
    fn next(&mut self) -> Option<u32> {
        let line = self.lines.next()?.expect("a line");
        let number = line.strip_prefix("WROTE ").and_then(|rest| rest.strip_suffix(" 00"));
        Some(number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{line}")))
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a process").is_some()
    }

    /// Waits for the end; returns the number of the last record that it has named, and how it ended.
    fn ended(mut self, seen: u32) -> (u32, ExitStatus) {
        let mut last = seen;
        while let Some(number) = self.next() {
            last = number;
        }
        (last, self.child.wait().expect("it ends"))
    }
}

fn run(folder: &Path, arguments: &[&str]) {
    let output = product().args(arguments).current_dir(folder).output().expect("syncpoint starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn define(folder: &Path) {
    run(folder, &["idcams", "--input", "define.idcams.txt", "--dd", "IN=in.txt,lines"]);
}

/// Sees that the records that a job has named are there, and that there is at most one more.
fn are_there(folder: &Path, last: u32, number: i32) {
    run(folder, &["idcams", "--input", "out.idcams.txt", "--dd", "OUT=out.txt,lines"]);
    let text = fs::read_to_string(folder.join("out.txt")).expect("read");
    let there = text.lines().filter(|line| line.ends_with("IT IS WHOLE")).count() as u32;
    assert_eq!(there, text.lines().count() as u32, "behind signal {number}: {text}");
    // The first record was there before.
    assert!(
        (last..=last + 1).contains(&(there - 1)),
        "behind signal {number}: {last} were named, {there} are there"
    );
}

#[test]
fn signals_that_mean_nothing_to_a_job_pass() {
    let folder = writing();
    let folder = folder.path();
    define(folder);
    let mut job = Job::start(folder);
    let mut seen = job.next().expect("a record");
    for number in numbers(&[Outcome::Passes, Outcome::Rests]).into_iter().filter(|number| *number != 1) {
        signal(&job.child, &number.to_string());
        if outcome(number) == Outcome::Rests {
            signal(&job.child, "CONT");
        }
        // The second one was written behind the signal.
        job.next().unwrap_or_else(|| panic!("signal {number} has ended the job"));
        seen = job.next().unwrap_or_else(|| panic!("signal {number} has ended the job"));
    }
    signal(&job.child, "TERM");
    let (last, status) = job.ended(seen);
    assert_eq!(status.signal(), Some(15));
    are_there(folder, last, 15);
}

#[test]
fn signals_that_end_a_job_lose_nothing() {
    let folder = writing();
    let folder = folder.path();
    let mut all = numbers(&[Outcome::Ends, Outcome::EndsAtOnce]);
    all.push(1);
    let one = |number: i32| {
        define(folder);
        let mut job = Job::start(folder);
        let seen = (0..3).map(|_| job.next().expect("a record")).last().expect("three");
        let process = job.child.id();
        let send = |name: &str| {
            let kill = format!("kill -{name} {process}");
            std::process::Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        };
        end_by(number, || job.has_ended(), send);
        let (last, status) = job.ended(seen);
        assert_eq!(status.signal(), Some(number));
        are_there(folder, last, number);
    };
    all.iter().copied().for_each(&one);
    // Beside a region that goes on.
    let region = Region::start(folder);
    [9, 15].into_iter().for_each(one);
    region.signal("TERM");
    assert!(region.ended().0.success());
}
