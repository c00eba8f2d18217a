//! Branches that count, and mistakes in directives.

use std::sync::Arc;

use diagnostics::Source;

use crate::{Format, Library, NoLibrary, read};

struct Books(&'static [(&'static str, &'static str)]);

impl Library for Books {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        self.0.iter().find(|(own, _)| *own == name).map(|(own, text)| Source::new(*own, indented(text)))
    }
}

/// Lines in area A; cards begin with CBL.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("       {line}\n")).collect()
}

/// The words that count, and the messages with their lines.
fn found(text: &str, library: &dyn Library) -> (String, Vec<String>) {
    let read = read(&Source::new("P.cbl", indented(text)), library, Format::Fixed, 4);
    let words: Vec<&str> = read.tokens.iter().map(|token| &*token.text).collect();
    let messages = read.messages.list.iter().map(|m| {
        let place = m.place.as_ref().map_or(0, |place| place.line);
        let label = if m.label.is_empty() { String::new() } else { format!(": {}", m.label) };
        format!("{place} {} {}{label}", m.code, m.message)
    });
    (words.join(" "), messages.collect())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(found(text, &NoLibrary), (expected.to_owned(), Vec::new()), "{text}");
}

#[track_caller]
fn wrong(text: &str, expected: &[&str]) {
    let (_, messages) = found(text, &NoLibrary);
    assert_eq!(messages, expected, "{text}");
}

#[test]
fn a_branch_that_is_false_is_no_text_whatever_it_holds() {
    check(
        ">>DEFINE A AS 1\n>>IF A = 2\nONE 'not closed\nCOPY NOT-THERE.\nEXEC CICS\nREPLACE ==X== BY ==\n>>ELSE\nTWO\n>>END-IF\nTHREE",
        "TWO THREE",
    );
    // Even what fixed format does not know in column 7.
    let text = "       >>IF 1 = 2\n      Xanything\n      -   'goes on\n       >>END-IF\n       A\n";
    let read = read(&Source::new("P.cbl", text), &NoLibrary, Format::Fixed, 4);
    assert_eq!((read.tokens.len(), read.messages.list.len()), (1, 0));
}

#[test]
fn branches_may_be_nested() {
    for (a, b, expected) in [(1, 1, "ONE X"), (1, 2, "TWO X"), (2, 1, "THREE X"), (3, 1, "FOUR X")] {
        check(
            &format!(
                ">>DEFINE A AS {a}\n>>DEFINE B AS {b}\n>>IF A = 1\n>>IF B = 1\nONE\n>>ELSE\nTWO\n>>END-IF\n>>ELSE\n\
                 >>EVALUATE A\n>>WHEN 2\nTHREE\n>>WHEN OTHER\n>>IF B = 1\nFOUR\n>>END-IF\n>>END-EVALUATE\n>>END-IF\nX"
            ),
            expected,
        );
    }
}

#[test]
fn conditions() {
    let define = ">>DEFINE N AS 12\n>>DEFINE T AS 'abc'\n>>DEFINE ON AS B'1'\n>>DEFINE OFF-NOW AS B'0'\n>>DEFINE X AS X'C1C2'\n";
    for condition in [
        "N = 12",
        "N IS EQUAL TO 12",
        "N NOT = 11",
        "N <> 11",
        "N > 11",
        "N >= 12",
        "N <= 12",
        "N LESS THAN 13",
        "N IS NOT GREATER THAN 12",
        "N GREATER THAN OR EQUAL TO 12",
        "T = 'abc'",
        "T = \"abc\"",
        "T NOT = 'ABC'",
        "ON",
        "NOT OFF-NOW",
        "ON = B'1'",
        "N DEFINED",
        "N IS DEFINED",
        "Q IS NOT DEFINED",
        "NOT Q DEFINED",
        "N = 11 OR N = 12",
        "N = 12 AND T = 'abc'",
        "N = 12 OR N = 11 AND N = 10",
        "(N = 12 OR N = 11) AND ON",
        "N = 2 * (3 + 3)",
        "N + 1 = 13",
        "(N - 2) / 3 = 3",
        "-N < 0",
        "N = - -12",
        "n = 12",
        "X = 'AB'",
        "NOT (N = 11)",
        "IGY-CICS",
        "IGY-LP = 32",
        "IGY-COMPILER-VRM >= 060300",
        "N / 5 = 2",
    ] {
        check(&format!("{define}>>IF {condition}\nYES\n>>ELSE\nNO\n>>END-IF"), "YES");
        check(
            &format!(
                "{define}>>EVALUATE TRUE\n>>WHEN N = 0\nNO\n>>WHEN {condition}\nYES\n>>WHEN OTHER\nNO\n>>END-EVALUATE"
            ),
            "YES",
        );
    }
}

#[test]
fn evaluate_of_a_value() {
    for (value, expected) in [("1", "ONE"), ("5", "FEW"), ("9", "FEW"), ("10", "MANY"), ("2 + 2", "FEW")] {
        check(
            &format!(
                ">>EVALUATE {value}\n>>WHEN 1\nONE\n>>WHEN 2 THRU 9\nFEW\n>>WHEN 3\nNEVER\n>>WHEN OTHER\nMANY\n>>END-EVALUATE"
            ),
            expected,
        );
    }
    check(">>EVALUATE 'b'\n>>WHEN 'a'\nA\n>>WHEN 'b'\nB\n>>END-EVALUATE\nX", "B X");
    check(">>EVALUATE TRUE\n>>WHEN DEBUGGING IS DEFINED\nA\n>>WHEN OTHER\nB\n>>END-EVALUATE", "B");
}

#[test]
fn variables_come_and_go() {
    check(">>DEFINE A AS 1\n>>DEFINE A AS 1\n>>DEFINE A AS A + 1 OVERRIDE\n>>IF A = 2\nYES\n>>END-IF", "YES");
    check(">>DEFINE A AS 1\n>>DEFINE A AS OFF\n>>IF A IS DEFINED\nYES\n>>END-IF\nX", "X");
    check(">>DEFINE A AS PARAMETER\n>>IF A IS DEFINED\nYES\n>>END-IF\nX", "X");
    check("CBL DEFINE(A=2,B='x,y',C)\n>>IF A IS DEFINED\nNO\n>>END-IF\nX", "X");
    check(
        "CBL DEFINE(A=2,B='x,Y',C,D=-3)\n>>DEFINE A AS PARAMETER\n>>DEFINE B PARAMETER\n>>DEFINE C AS PARAMETER\n>>DEFINE D AS PARAMETER\n\
         >>IF A = 2 AND B = 'x,Y' AND C AND D < 0\nYES\n>>END-IF",
        "YES",
    );
    check(">>IF 1 = 2\n>>DEFINE A AS 1\n>>END-IF\n>>IF A DEFINED\nYES\n>>END-IF\nX", "X");
}

#[test]
fn a_copybook_may_define_and_be_left_out() {
    let books = Books(&[
        ("LEVEL", ">>DEFINE LEVEL AS 3\n>>IF LEVEL > 2\nA.\n>>ELSE\nB.\n>>END-IF"),
        ("OPEN", ">>IF 1 = 1\nA."),
        ("CLOSE", ">>END-IF"),
    ]);
    let with = |text: &str| found(text, &books);
    assert_eq!(with("COPY LEVEL.\n>>IF LEVEL = 3\nYES\n>>ELSE\nNO\n>>END-IF"), ("A . YES".into(), vec![]));
    assert_eq!(
        with("COPY LEVEL REPLACING ==A== BY ==C==.\n>>IF LEVEL = 3\nYES\n>>END-IF"),
        ("C . YES".into(), vec![])
    );
    assert_eq!(with(">>IF 1 = 2\nCOPY NOWHERE.\n>>END-IF\nX"), ("X".into(), vec![]));
    assert_eq!(
        with("COPY LEVEL\n>>IF 1 = 2\nOF LIB\n>>END-IF\nREPLACING ==A== BY ==C==.\nX"),
        ("C . X".into(), vec![])
    );
    assert_eq!(with("COPY OPEN.\nX").1, ["1 SPTR015 this directive has no >>END-IF: opened here"]);
    let closed = with(">>IF 1 = 1\nCOPY CLOSE.\n>>END-IF\nX");
    assert_eq!(closed.1, ["1 SPTR016 this directive cannot be read: expected >>IF in front of >>END-IF"]);
    assert_eq!(closed.0, "X");
}

#[test]
fn mistakes_are_told_once_at_their_place() {
    wrong(
        ">>IF A = 1\nX\n>>ELSE\nY\n>>END-IF",
        &["1 SPTR016 this directive cannot be read: expected a compilation variable, and A is none here"],
    );
    wrong(
        ">>IF 1 = 'a'\n>>END-IF",
        &["1 SPTR016 this directive cannot be read: expected a number and not text"],
    );
    wrong(">>IF 1\n>>END-IF", &["1 SPTR016 this directive cannot be read: expected a relational operator"]);
    wrong(
        ">>IF 'a' < 'b'\n>>END-IF",
        &["1 SPTR016 this directive cannot be read: expected numbers around this operator"],
    );
    wrong(
        ">>IF 1 = 1 X\n>>END-IF",
        &["1 SPTR016 this directive cannot be read: expected nothing more on this line"],
    );
    wrong(
        ">>IF 1 / 0 = 1\n>>END-IF",
        &["1 SPTR016 this directive cannot be read: expected a result that is a number"],
    );
    wrong(">>ELSE", &["1 SPTR016 this directive cannot be read: expected >>IF in front of >>ELSE"]);
    wrong(">>IF 1 = 1\nX", &["1 SPTR015 this directive has no >>END-IF: opened here"]);
    wrong(
        ">>IF 1 = 1\n>>ELSE\n>>ELSE\n>>END-IF",
        &["3 SPTR016 this directive cannot be read: expected nothing behind >>ELSE but >>END-IF"],
    );
    wrong(
        ">>EVALUATE 1\n>>END-IF\n>>END-EVALUATE",
        &["2 SPTR016 this directive cannot be read: expected >>IF in front of >>END-IF"],
    );
    wrong(
        ">>DEFINE A AS 1\n>>DEFINE A AS 2",
        &["2 SPTR016 this directive cannot be read: expected the value that A has already"],
    );
    wrong(
        ">>DEFINE IGY-CICS AS 2",
        &["1 SPTR016 this directive cannot be read: expected a name that is not the compiler's own"],
    );
    wrong(">>ENDIF", &["1 SPTR018 there is no directive >>ENDIF"]);
    wrong(">>JAVA-CALLABLE", &["1 SPTR017 >>JAVA-CALLABLE has no effect here"]);
    wrong(">>CALLINT STATIC\n>>INLINE ON\n>>CALLINTERFACE DLL", &[]);
    let deep = format!(">>IF {}1 = 1{}\n>>END-IF", "(".repeat(100), ")".repeat(100));
    wrong(&deep, &["1 SPTR016 this directive cannot be read: expected fewer parentheses"]);
}

#[test]
fn directives_of_another_system_choose_no_branch_in_silence() {
    let text = "      $IF TESTING DEFINED\n       A\n      $ELSE\n       B\n      $END\n       X\n";
    let found = read(&Source::new("P.cbl", text), &NoLibrary, Format::Fixed, 4);
    let words: Vec<&str> = found.tokens.iter().map(|token| &*token.text).collect();
    assert_eq!((words.join(" "), found.messages.list.len()), ("B X".to_owned(), 0));
    let text = "      $SET MF\n       X\n";
    let found = read(&Source::new("P.cbl", text), &NoLibrary, Format::Fixed, 4);
    assert_eq!(found.messages.list[0].message, "$SET has no effect here");
}
