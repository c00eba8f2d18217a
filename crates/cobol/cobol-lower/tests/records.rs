//! The records of statements are right about them: one that is built is compiled, and one that is not is refused by its name, at
//! its line, with the reason.

mod support;

use cobol_check::{Options, check};
use cobol_source::NoLibrary;
use cobol_syntax::{StatementState, statement, statements};
use diagnostics::{Severity, Source};
use support::examples::source;
use support::{lowered, program, shown_by_all};

#[test]
fn every_statement_is_compiled_or_refused_by_its_name() {
    let mut wrong = Vec::new();
    for record in statements() {
        let Some(example) = record.example else { continue };
        let said = lowered(&source(record, example)).err();
        let refused = format!("SPSY090 {} is not built", record.name);
        let right = match record.state {
            StatementState::Refused => said.as_deref() == Some(&*refused),
            _ => said.is_none(),
        };
        if !right {
            wrong.push(format!("{}: {}", record.name, said.unwrap_or_else(|| "compiled".to_owned())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each message with its code, its line, its text and its help.
fn said(text: &str) -> String {
    let checked = check(&Source::new("T.cbl", text), &NoLibrary, &Options::default());
    let errors = checked.messages.iter().filter(|message| message.severity == Severity::Error);
    let line = |message: &diagnostics::Diagnostic| {
        let line = message.place.as_ref().map_or(0, |place| place.line);
        format!("{} {line} {} ({})\n", message.code, message.message, message.help)
    };
    errors.map(line).collect()
}

/// The statements of a phrase are looked at all the same, and what ends the statement is no stray word.
#[test]
fn a_refused_statement_has_its_line_and_its_reason() {
    let record = statement("INVOKE").expect("a record");
    let example = "IF N = 1 INVOKE X 'show' USING BY VALUE N RETURNING K ON EXCEPTION MOVE 2 TO N NOT ON EXCEPTION \
                   DISPLAY 'DONE' END-INVOKE DISPLAY X ELSE EXIT FUNCTION END-IF EXEC FOO BAR END-EXEC";
    assert_eq!(
        said(&source(record, example)),
        "SPSY090 47 INVOKE is not built (classes are not built: CALL a program)\n\
         SPSY090 49 EXIT FUNCTION is not built (functions of FUNCTION-ID are not built: CALL a program)\n\
         SPSY090 49 EXEC FOO is not built (there are EXEC CICS and EXEC SQL)\n"
    );
}

/// The published rule: the receiver of STRING is not edited.
#[test]
fn string_has_no_edited_receiver() {
    let data = "01 E PIC 99/99.\n01 F PIC XBX.";
    for (item, kind) in [("E", "numeric-edited"), ("F", "alphanumeric-edited")] {
        let told =
            lowered(&program(data, &format!("STRING 'a' DELIMITED BY SIZE INTO {item}."))).unwrap_err();
        assert_eq!(told, format!("8 STRING puts characters into {item}, which is {kind}"));
    }
}

#[test]
fn use_stands_at_the_head_of_declaratives() {
    let program = |declaratives: &str, statements: &str| {
        let text = format!(
            "ID DIVISION. PROGRAM-ID. T.\nDATA DIVISION. WORKING-STORAGE SECTION. 01 N PIC 9.\nPROCEDURE DIVISION.\n\
             {declaratives}\nMAIN SECTION.\n{statements}\nGOBACK.\n"
        );
        text.lines().map(|line| format!("       {line}\n")).collect::<String>()
    };
    let declaratives = |section: &str| format!("DECLARATIVES.\nD SECTION.\n{section}\nEND DECLARATIVES.");
    assert_eq!(
        lowered(&program("", "IF N = 1 USE AFTER ERROR PROCEDURE ON INPUT.")).unwrap_err(),
        "SPCK067 this USE is not at the head of a section of declaratives"
    );
    for section in ["DISPLAY N.", "P. DISPLAY N.", ""] {
        assert_eq!(
            lowered(&program(&declaratives(section), "")).unwrap_err(),
            "SPCK067 this section of declaratives does not begin with USE",
            "{section}"
        );
    }
    assert_eq!(
        lowered(&program(&declaratives("USE AFTER BEGINNING FILE LABEL PROCEDURE ON INPUT."), ""))
            .unwrap_err(),
        "SPSY090 this form of USE is not built"
    );
    // A section for debugging is a comment.
    let debugging = declaratives("USE FOR DEBUGGING ON ALL PROCEDURES. P. DISPLAY DEBUG-ITEM.");
    assert_eq!(shown_by_all(&program(&debugging, "DISPLAY 'MAIN'.")).as_deref(), Ok("MAIN\n"));
}
