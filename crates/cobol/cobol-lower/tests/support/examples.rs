//! The examples of the records of statements, each in a program.

use cobol_syntax::StatementRecord;

/// Data, and files: IDX is indexed, ONE and TWO have four digits a record, SRT is for SORT.
const IN_FRONT: &str = "IDENTIFICATION DIVISION.
PROGRAM-ID. T.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT SEQ ASSIGN TO SEQ FILE STATUS FS.
    SELECT ONE ASSIGN TO ONE.
    SELECT TWO ASSIGN TO TWO.
    SELECT SRT ASSIGN TO SRT.
    SELECT IDX ASSIGN TO IDX ORGANIZATION INDEXED ACCESS DYNAMIC
        RECORD KEY IDX-KEY FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD SEQ.
01 SEQ-R PIC X(10).
FD ONE.
01 ONE-R PIC X(4).
FD TWO.
01 TWO-R PIC X(4).
FD IDX.
01 IDX-R.
    05 IDX-KEY PIC X(4).
    05 IDX-TEXT PIC X(6).
SD SRT.
01 SRT-R.
    05 SRT-KEY PIC 9(4).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 N PIC 9(4) VALUE 7.
01 M PIC 9(4) VALUE 2.
01 K PIC 9(4).
01 X PIC X(10) VALUE 'HELLO'.
01 J PIC X(60).
01 P POINTER.
01 G.
    05 A PIC 9 VALUE 1.
    05 B PIC X VALUE 'b'.
01 T-DATA PIC X(18) VALUE '1ONE  2TWO  3THREE'.
01 T REDEFINES T-DATA.
    05 E OCCURS 3 INDEXED BY I.
        10 E-KEY PIC 9.
        10 E-TEXT PIC X(5).
LINKAGE SECTION.
01 L PIC X(8).
PROCEDURE DIVISION.
";

const BEHIND: &str = "ENDS.
    GOBACK.
TAKES-TWO.
    RELEASE SRT-R FROM '0008'.
    RELEASE SRT-R FROM '0003'.
GIVES-ONE.
    RETURN SRT AT END DISPLAY 'NONE' NOT AT END DISPLAY SRT-R.
";

/// Two records in the indexed file.
const RECORDS: &str = "    OPEN OUTPUT IDX.
    WRITE IDX-R FROM '0001FIRST '.
    WRITE IDX-R FROM '0002SECOND'.
    CLOSE IDX.
";

/// The columns of a statement.
const COLUMNS: usize = 60;

/// The program of a record's example, in columns.
pub fn source(record: &StatementRecord, example: &str) -> String {
    let mut text = IN_FRONT.to_owned();
    let statements = format!("{}.\n", wrapped(example));
    if record.stands == "the head of a section of declaratives" {
        text += "DECLARATIVES.\nFAILURES SECTION.\n";
        text += &statements;
        text += "SAYS.\n    DISPLAY 'FAILED'.\nEND DECLARATIVES.\nMAIN SECTION.\n    OPEN INPUT SEQ.\n";
    } else {
        text += "MAIN SECTION.\n";
        text += if example.contains("IDX") { RECORDS } else { "" };
        text += &statements;
    }
    text += BEHIND;
    text.lines().map(|line| format!("       {line}\n")).collect()
}

/// The words of an example in lines; literals stay whole.
fn wrapped(example: &str) -> String {
    let mut quoted = false;
    let words = example.split(|character| {
        quoted ^= character == '\'';
        character == ' ' && !quoted
    });
    let mut lines = vec!["   ".to_owned()];
    for word in words {
        if lines.last().is_some_and(|line| line.len() + word.len() > COLUMNS) {
            lines.push("   ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}
