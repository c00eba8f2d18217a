//! Time that a source of 2,000 lines takes to be read, parsed and checked: `cargo run --release --example speed`.
//!
//! The mix is that of public programs: half MOVE, a fifth IF, PERFORM, arithmetic, EVALUATE, commands.

use std::fmt::Write as _;
use std::time::Instant;

use cobol_check::{Options, check};
use cobol_source::NoLibrary;
use diagnostics::Source;

const LINES: usize = 2_000;
const PASSES: u32 = 200;

fn text() -> String {
    let mut text = String::from(
        "       ID DIVISION.\n       PROGRAM-ID. SPEED.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n",
    );
    for record in 0..40 {
        let _ = writeln!(text, "       01  WS-RECORD-{record}.");
        for field in 0..9 {
            let picture = ["PIC X(20).", "PIC S9(7)V99 COMP-3.", "PIC S9(8) COMP.", "PIC 9(5)."][field % 4];
            let _ = writeln!(text, "           05  WS-FIELD-{record}-{field}  {picture}");
        }
    }
    text.push_str("       PROCEDURE DIVISION.\n");
    let mut line = text.lines().count();
    let mut number = 0;
    while line < LINES {
        let (r, s) = (number % 40, (number * 7) % 40);
        let block = match number % 8 {
            0 => format!(
                "           IF WS-FIELD-{r}-1 > WS-FIELD-{s}-1 AND\n              WS-FIELD-{r}-0 NOT = SPACES\n              MOVE WS-FIELD-{r}-0 TO WS-FIELD-{s}-4\n           ELSE\n              ADD 1 TO WS-FIELD-{r}-2\n           END-IF\n"
            ),
            1 => format!(
                "           COMPUTE WS-FIELD-{r}-1 ROUNDED =\n              WS-FIELD-{s}-1 * 1.05 + WS-FIELD-{r}-2\n"
            ),
            2 => format!(
                "           EVALUATE WS-FIELD-{r}-3\n              WHEN 1 MOVE 'ONE' TO WS-FIELD-{s}-0\n              WHEN OTHER MOVE SPACES TO WS-FIELD-{s}-0\n           END-EVALUATE\n"
            ),
            3 => format!(
                "           EXEC CICS READ FILE('ACCOUNTS') INTO(WS-RECORD-{r})\n              RIDFLD(WS-FIELD-{s}-0) RESP(WS-FIELD-{s}-2) END-EXEC\n"
            ),
            4 => format!("           .\n       PARA-{number}.\n           PERFORM PARA-{number}\n"),
            _ => format!(
                "           MOVE WS-FIELD-{r}-0 TO WS-FIELD-{s}-0\n           MOVE WS-FIELD-{r}-1 OF WS-RECORD-{r} TO WS-FIELD-{s}-5\n"
            ),
        };
        line += block.lines().count();
        text.push_str(&block);
        number += 1;
    }
    text.push_str("           .\n           GOBACK.\n");
    text
}

fn main() {
    let source = Source::new("SPEED.cbl", text());
    let first = check(&source, &NoLibrary, &Options::default());
    assert!(first.messages.is_empty(), "{}", first.messages[0]);
    let read = Instant::now();
    for _ in 0..PASSES {
        cobol_source::read(&source, &NoLibrary, Options::default().format, 4);
    }
    let read = read.elapsed() / PASSES;
    let all = Instant::now();
    for _ in 0..PASSES {
        check(&source, &NoLibrary, &Options::default());
    }
    let all = all.elapsed() / PASSES;
    println!("{} lines: words {read:?}, all {all:?}", source.text.lines().count());
}
