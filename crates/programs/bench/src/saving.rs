//! From saving a source to its first task: what `--watch` does, and the task that a person at a screen starts then.

use kernel::programs::Programs;
use toolchain::Member;

use crate::Options;
use crate::clock::{median, processor_time, processor_time_of_children, progress};
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Lines of the program.
const LINES: usize = 2000;
/// The time that a person waits without losing the thread, in seconds.
const FLOOR: f64 = 1.0;
/// The program's name, as `bench.csd` has it.
const PROGRAM: &str = "SAVED";
/// Its transaction.
const TRANSACTION: &str = "SAVE";

/// One kind of program: its lines behind the heading, again and again.
struct Kind {
    name: &'static str,
    lines: &'static [&'static str],
}

/// Nothing but statements: the dearest that so many lines can be.
const DENSE: Kind = Kind { name: "statements only", lines: &["ADD 1 TO WS-TOTAL."] };
/// Statements as programs have them, a third of the lines comments.
const ORDINARY: Kind = Kind {
    name: "an ordinary mix",
    lines: &[
        "*",
        "IF WS-TOTAL > 100",
        "   MOVE ZERO TO WS-TOTAL",
        "END-IF.",
        "* What is shown.",
        "MOVE WS-TOTAL TO WS-SHOWN.",
        "EXEC CICS ASSIGN",
        "     SYSID(WS-SYSID)",
        "END-EXEC.",
        "*",
        "PERFORM 2 TIMES",
        "   ADD 1 TO WS-TOTAL",
        "END-PERFORM.",
        "*",
        "*",
    ],
};

/// Seconds of processor time for a program of statements only; that of an ordinary one is a note.
pub(crate) fn to_screen(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let rounds = options.size(ROUNDS, 1);
    workshop.write("SAVED.cbl", &source(&DENSE, options.size(LINES, 30), 0))?;
    let site = workshop.region(1)?;
    site.run(TRANSACTION, None);
    let measure = |kind: &Kind| {
        let times: Result<Vec<f64>, String> = (1..=rounds)
            .map(|round| {
                progress(&format!("save-to-screen: {}, round {round} of {rounds}", kind.name));
                workshop.write("SAVED.cbl", &source(kind, options.size(LINES, 30), round))?;
                let before = processor_time() + processor_time_of_children();
                take_up(&site)?;
                site.run(TRANSACTION, None);
                Ok(processor_time() + processor_time_of_children() - before)
            })
            .collect();
        times.map(median)
    };
    let (dense, ordinary) = (measure(&DENSE)?, measure(&ORDINARY)?);
    progress("");
    site.end();
    Ok(Measured::new(dense, FLOOR).note(format!("{}: {ordinary:.3} s", ORDINARY.name)))
}

/// Takes up a saved source as `--watch` does.
fn take_up(site: &Site) -> Result<(), String> {
    let changed = site.toolchain().changed();
    if changed != [Member::Program(PROGRAM.to_owned())] {
        return Err(format!("{PROGRAM} was saved, and these are said to have changed: {changed:?}"));
    }
    Programs::of(site.region()).changed(PROGRAM.into());
    let built = site.toolchain().build(&changed, |_| {});
    if built.built == 1 { Ok(()) } else { Err(format!("{PROGRAM} does not build: {:?}", built.messages)) }
}

/// A program of so many lines; each round another text.
fn source(kind: &Kind, lines: usize, round: usize) -> String {
    let heading = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {PROGRAM}.\n       DATA DIVISION.\n       \
         WORKING-STORAGE SECTION.\n       01 WS-TOTAL PIC S9(7) COMP-3 VALUE {round}.\n       \
         01 WS-SHOWN PIC ZZZ,ZZ9.\n       01 WS-SYSID PIC X(4).\n       PROCEDURE DIVISION.\n       MAIN-PARA.\n"
    );
    let end = "           EXEC CICS RETURN END-EXEC.\n";
    let room = lines.saturating_sub(heading.lines().count() + 1);
    // Whole turns only: a statement of several lines must not be cut.
    let turns = room / kind.lines.len();
    let body: String = kind.lines.iter().map(|line| coded(line)).collect();
    heading + &body.repeat(turns) + end
}

/// A line in its columns.
fn coded(line: &str) -> String {
    if line.starts_with('*') { format!("      {line}\n") } else { format!("           {line}\n") }
}
