//! The dump of an abend: where each of them stands, and what its items hold.

mod common;

use std::sync::Arc;

use common::{Run, Site, attach};
use kernel::dispatcher;
use kernel::dispatcher::Attach;
use kernel::name::TransactionName;
use kernel::security::User;
use kernel::task::StartCode;

/// OUTER LINKs to INNER, which calculates with what is no number, in a paragraph that it performs.
const APPLICATION: &str = "
```toml
```

```cobol OUTER
01 ORDER-REC.
   05 ORDER-NO PIC 9(4) VALUE 40.
   05 AMOUNT PIC S9(5)V99 COMP-3 VALUE -12.5.
PROCEDURE DIVISION.
FIRST-PART.
PERFORM HAND-OVER
EXEC CICS RETURN END-EXEC.
HAND-OVER.
EXEC CICS LINK PROGRAM('INNER') COMMAREA(ORDER-REC) END-EXEC.
LAST-PART.
EXIT.
```

```cobol INNER
01 TOTAL PIC S9(7)V99 COMP-3.
01 TABLE-SIZE PIC 9 VALUE 2.
01 RATES.
   05 RATE PIC 9(3) OCCURS 1 TO 5 DEPENDING ON TABLE-SIZE VALUE 7.
   05 REMARK PIC X(5) VALUE 'OK'.
LINKAGE SECTION.
01 DFHCOMMAREA.
   05 NUMBER-GIVEN PIC 9(4).
   05 AMOUNT-GIVEN PIC S9(5)V99 COMP-3.
01 ELSEWHERE PIC X(9).
PROCEDURE DIVISION.
BEGIN-HERE.
MOVE 'OK' TO REMARK
PERFORM ADD-UP
EXEC CICS RETURN END-EXEC.
ADD-UP.
MOVE LOW-VALUES TO DFHCOMMAREA(5:4)
ADD AMOUNT-GIVEN TO TOTAL.
NEVER-REACHED.
EXIT.
```
";

/// The dump has these lines in this order.
#[track_caller]
fn check(dump: &str, lines: &[&str]) {
    let mut rest = dump;
    for line in lines {
        let at = rest.find(line).unwrap_or_else(|| panic!("no '{line}' in this place of:\n{dump}"));
        rest = &rest[at + line.len()..];
    }
}

/// UNSEEN has a long COMMAREA, which it does not name.
const UNSEEN: &str = "
```toml
```

```cobol UNSEEN
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(8000).
PROCEDURE DIVISION.
EXEC CICS ABEND ABCODE('SEEN') END-EXEC.
```
";

/// The first dump of a region, which has come to rest.
async fn dump_of(run: &Run) -> String {
    let folder = &run.house.running.region.options.dump_folder;
    let dumps = || std::fs::read_dir(folder).into_iter().flatten().flatten();
    run.until("a dump", || dumps().next().is_some() && run.house.is_calm()).await;
    let file = dumps().next().expect("a dump");
    std::fs::read_to_string(file.path()).expect("it can be read")
}

#[test]
fn both_programs_stand_in_their_paragraphs_with_their_items() {
    Site::new("dumps", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        attach(&region, "OUTE");
        let dump = dump_of(run).await;
        check(
            &dump,
            &[
                "abend ASRA in program INNER",
                "LEVEL 2: PROGRAM INNER",
                "EXEC INTERFACE BLOCK",
                "EIBTRNID",
                "'OUTE'",
                "COMMAREA",
                "NUMBER-GIVEN",
                "40",
                "AMOUNT-GIVEN",
                "X'00000000'  not a number",
                "PARAGRAPHS OF INNER, THE INNERMOST FIRST",
                "ADD-UP",
                "BEGIN-HERE",
                "WORKING-STORAGE OF INNER",
                "TOTAL",
                "RATE(1) to (2)",
                "7",
                "REMARK",
                "'OK'",
                "LINKAGE OF INNER",
                "ELSEWHERE is not addressed",
                "LEVEL 1: PROGRAM OUTER",
                "PARAGRAPHS OF OUTER, THE INNERMOST FIRST",
                "HAND-OVER",
                "FIRST-PART",
                "WORKING-STORAGE OF OUTER",
                "ORDER-NO",
                "40",
                "AMOUNT",
                "-12.50",
            ],
        );
        true
    });
}

#[test]
fn a_commarea_that_no_program_names_is_shown() {
    Site::new("dump-unseen", UNSEEN).run(async |run| {
        let transaction = TransactionName::from("UNSE");
        let commarea = [b"GIVEN".as_slice(), &[b'.'; 7995]].concat();
        let attach = Attach::new(transaction, StartCode::System, User::region());
        let attach = Attach { commarea: Some(commarea), ..attach };
        dispatcher::attach(&run.house.running.region, attach).expect("it is attached");
        let dump = dump_of(run).await;
        check(&dump, &["LEVEL 1: PROGRAM UNSEEN", "COMMAREA, 8000 bytes", "GIVEN", "PARAGRAPHS OF UNSEEN"]);
        true
    });
}
