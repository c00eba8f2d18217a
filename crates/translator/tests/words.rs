//! Words that Enterprise COBOL leaves to programs are names here, too, whatever the hosted compiler makes of them.

mod support;

use std::collections::BTreeMap;
use std::process::Command;

use diagnostics::Source;
use translator::{NotYet, Options, translate};

/// How many words one program tries: few compilations, and names that stand beside names.
const WORDS_IN_A_PROGRAM: usize = 40;

/// Words of the published table by their class.
fn published() -> BTreeMap<&'static str, &'static str> {
    spec::tables::COBOL_WORDS
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once('\t'))
        .map(|(word, rest)| (word, rest.split('\t').next().unwrap_or_default()))
        .collect()
}

/// Whether Enterprise COBOL keeps a word for itself, or reads a statement of older compilers from it.
fn is_reserved(class: Option<&&str>) -> bool {
    matches!(class, Some(&"reserved" | &"old"))
}

/// Every word that may be a name and that the table, or the hosted compiler, knows.
fn names() -> Vec<String> {
    let published = published();
    let listed =
        Command::new("cobc").args(["-std=ibm", "--list-reserved"]).output().expect("cobc is installed");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let hosted = listed.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        words.next().filter(|_| matches!(words.next(), Some("Yes" | "No")))
    });
    let mut names: Vec<String> = hosted
        .chain(published.keys().copied())
        .filter(|word| !is_reserved(published.get(word)))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .map(str::to_string)
        .chain(('A'..='Z').map(String::from))
        .collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 600, "the lists are there");
    names
}

/// A program with these data descriptions, statements and paragraphs for each word; `@` stands for the word. The
/// paragraphs stand in area A, the rest leaves room for long words.
#[track_caller]
fn check(data: &str, statements: &str, paragraph: &str) {
    let mut refused = Vec::new();
    for words in names().chunks(WORDS_IN_A_PROGRAM) {
        let each = |text: &str| -> String {
            let lines = words.iter().flat_map(|word| text.lines().map(move |line| line.replace('@', word)));
            lines.map(|line| format!("{line}\n")).collect()
        };
        let text = format!(
            "       >>SOURCE FORMAT FREE\n       ID DIVISION.\n       PROGRAM-ID. TRY-WORDS.\n       DATA DIVISION.\n       \
             WORKING-STORAGE SECTION.\n       01  WS-AREA PIC X(4).\n       01  WS-NUMBER PIC 9(4).\n{}       \
             PROCEDURE DIVISION.\n       MAIN-PARA.\n{}           GOBACK.\n       >>SOURCE FORMAT FIXED\n{}",
            each(data),
            each(statements),
            each(paragraph)
        );
        let translation =
            translate(&Source::new("TRY", text), &support::Members::default(), &Options::default());
        assert!(translation.messages.is_empty(), "{:?}", translation.messages);
        let said = support::compile_as(&translation);
        let lines: Vec<&str> = translation.text.lines().collect();
        refused.extend(said.lines().filter(|line| line.contains(" error: ")).map(|error| {
            let number = error.split(':').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
            format!("{}   {error}", lines.get(number - 1).unwrap_or(&""))
        }));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn a_data_item_and_an_operand_of_a_command() {
    check(
        "       01  @ PIC X(4).",
        "           EXEC CICS WRITEQ TS QUEUE(@)
              FROM(@) END-EXEC
           EXEC CICS READQ TS QUEUE('Q') INTO(@) END-EXEC
           EXEC CICS WRITEQ TS QUEUE(@(1:2)) FROM(WS-AREA) END-EXEC
           EXEC CICS WRITEQ TS QUEUE(WS-AREA)
              FROM(@) LENGTH(LENGTH OF @) END-EXEC
           MOVE @ TO WS-AREA
              @
           IF WS-AREA = @ OR 'A' AND NOT @
              DISPLAY @ WS-AREA
                 @
           END-IF
           STRING @ DELIMITED BY SIZE INTO WS-AREA
           INITIALIZE @",
        "",
    );
}

#[test]
fn a_number() {
    check(
        "       01  @ PIC 9(4).",
        "           COMPUTE @ = @ + WS-NUMBER * @
           ADD 1 TO @
           PERFORM VARYING @ FROM @
              BY @ UNTIL @ > 3
              CONTINUE
           END-PERFORM
           IF NOT @ = 1 AND @ > WS-NUMBER
              CONTINUE
           END-IF",
        "",
    );
}

#[test]
fn a_condition_and_an_index() {
    check(
        "       01  FILLER PIC X. 88  @ VALUE 'A' 'B'.",
        "           IF @ OR NOT @
              SET @ TO TRUE
           END-IF",
        "",
    );
    check(
        "       01  FILLER.
           05  T-@ PIC X OCCURS 4 INDEXED BY @.",
        "           SET @ TO 1
           MOVE T-@(@) TO T-@(@ + 1)",
        "",
    );
}

#[test]
fn a_paragraph_and_a_section() {
    for header in ["       @.\n           CONTINUE.", "       @ SECTION.\n           CONTINUE."] {
        check(
            "",
            "           PERFORM @
           EXEC CICS HANDLE CONDITION ERROR(@) END-EXEC
           IF WS-NUMBER = 1 PERFORM @
              ELSE GO TO @.
           PERFORM @ THRU @
              VARYING WS-NUMBER FROM 1 BY 1 UNTIL WS-NUMBER > 2",
            header,
        );
    }
}

/// A source that gives these words no name keeps the statements that need them.
#[test]
fn a_word_that_is_no_name_is_what_the_compiler_takes_it_for() {
    let statements = [
        "EXIT PARAGRAPH",
        "PERFORM UNTIL WS-NUMBER = 1 EXIT PERFORM CYCLE END-PERFORM",
        "ACCEPT WS-NUMBER FROM DATE YYYYMMDD",
        "ACCEPT WS-NUMBER FROM DAY YYYYDDD",
        "EXEC CICS SEND MAP('M') FROM(WS-AREA) CURSOR ERASE END-EXEC",
        "EXEC CICS INQUIRE FILE('F') OPENSTATUS(WS-NUMBER) END-EXEC",
        "EXEC CICS WAIT EVENT ECADDR(WS-P) END-EXEC",
        "EXEC CICS HANDLE CONDITION ERROR(MAIN-PARA) END-EXEC",
        "EXEC CICS FORMATTIME ABSTIME(WS-T) YYYYMMDD(WS-AREA) TIME(WS-AREA) TIMESEP END-EXEC",
    ];
    let statements: String = statements.iter().map(|line| format!("    {line}\n")).collect();
    let names = "01  CURSOR PIC X. 01  SCREEN PIC X. 01  CYCLE PIC X. 01  YYYYMMDD PIC X. 01  WAIT PIC X.\n";
    for names in ["", names] {
        let text = format!(
            "ID DIVISION.\nPROGRAM-ID. MENU.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  WS-AREA PIC X(8).\n01  \
             WS-NUMBER PIC 9(8).\n01  WS-T PIC S9(15) COMP-3.\n01  WS-P POINTER.\n{names}PROCEDURE DIVISION.\n\
             MAIN-PARA.\n{statements}    GOBACK.\nEND PROGRAM MENU.\n"
        );
        let options = Options { not_yet: NotYet::Translate, ..Options::default() };
        let translation = translate(&Source::new("MENU", text), &support::Members::default(), &options);
        assert!(translation.messages.is_empty(), "{:?}", translation.messages);
        let said = support::compile_as(&translation);
        assert!(!said.contains(" error: "), "{said}");
    }
}

#[test]
fn what_an_alphabet_is_stays_a_word_of_the_language() {
    let text = "ID DIVISION.\nPROGRAM-ID. ALPHA.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n    \
                ALPHABET EBCDIC-DATA IS EBCDIC\n    ALPHABET ASCII-DATA IS STANDARD-1\n    ALPHABET OWN EBCDIC.\n\
                PROCEDURE DIVISION.\n    GOBACK.\n";
    let translation =
        translate(&Source::new("ALPHA", text), &support::Members::default(), &Options::default());
    assert!(translation.messages.is_empty(), "{:?}", translation.messages);
    assert_eq!(support::compile_as(&translation), "");
}

#[test]
fn service_is_a_comment() {
    let text = "ID DIVISION.\nPROGRAM-ID. SERV.\nDATA DIVISION.\nLINKAGE SECTION.\n01  A. 05  B PIC X.\nPROCEDURE DIVISION.\n    \
                SERVICE RELOAD A.\n    SERVICE RELOAD B OF A\n    SERVICE LABEL.\nX.\n    SERVICE LABEL\n    GOBACK.\n";
    let translation =
        translate(&Source::new("SERV", text), &support::Members::default(), &Options::default());
    assert!(translation.messages.is_empty(), "{:?}", translation.messages);
    assert_eq!(support::compile_as(&translation), "");
}
