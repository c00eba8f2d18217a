//! The meaning of each block: by its number in the syntax tree, with the number that the listing gives the statement.

mod support;

use cobol_exec::Asked;
use diagnostics::{Severity, Source};

const PROGRAMS: &str = "       >>SOURCE FORMAT IS FREE
ID DIVISION.
PROGRAM-ID. OUTER.
DATA DIVISION.
WORKING-STORAGE SECTION.
EXEC SQL INCLUDE SQLCA END-EXEC.
01 N PIC S9(9) COMP.
PROCEDURE DIVISION.
    EXEC CICS ASKTIME END-EXEC
    EXEC SQL DELETE FROM T WHERE ID = :N END-EXEC
    EXEC CICS RAED FILE('A') END-EXEC
    EXEC CICS RETURN END-EXEC.
ID DIVISION.
PROGRAM-ID. INNER.
PROCEDURE DIVISION.
    EXEC CICS SUSPEND END-EXEC
    GOBACK.
END PROGRAM INNER.
END PROGRAM OUTER.
";

#[test]
fn statements_have_the_numbers_of_the_listing() {
    let source = Source::new("OUTER", PROGRAMS);
    let (checked, read) = support::both(&source, &support::Members::new([]), Severity::Error);
    let shown: Vec<String> = read
        .asked
        .iter()
        .zip(&checked.blocks)
        .map(|(asked, block)| {
            let meaning = match asked {
                Some(Asked::Command(command)) => format!("{} {}", command.statement, command.record.name),
                Some(Asked::Sql(request)) => {
                    format!("SQL {}", request.call.as_ref().map_or(0, |call| call.descriptor.statement))
                }
                None => "-".to_owned(),
            };
            format!("{}: {meaning}", block.at.line)
        })
        .collect();
    assert_eq!(shown, ["9: 1 ASKTIME", "10: SQL 1", "11: -", "12: 3 RETURN", "16: 1 SUSPEND"]);
    let listed = |program: usize| {
        read.programs[program].statements.iter().map(|it| it.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(listed(0), ["ASKTIME", "RAED FILE('A')", "RETURN"]);
    assert_eq!(listed(1), ["SUSPEND"]);
}

/// A mistake of the language does not hide one in a command.
#[test]
fn commands_of_a_program_that_cannot_be_read_are_checked() {
    let text = PROGRAMS.replace("    EXEC CICS ASKTIME", "    MOVE TO TO TO N\n    EXEC CICS ASKTIME");
    let source = Source::new("OUTER", text);
    let (checked, read) = support::both(&source, &support::Members::new([]), Severity::Error);
    assert!(checked.messages.iter().any(|message| message.code.starts_with("SPSY")));
    assert_eq!(read.messages.iter().map(|message| message.code).collect::<Vec<_>>(), ["SPTR030"]);
}
