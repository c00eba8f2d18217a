//! Whatever the text is, the translator answers: it neither panics nor loops, and maps every line it writes.

mod support;

use diagnostics::Source;
use proptest::prelude::*;
use translator::{NotYet, Options, translate};

/// What programs consist of, in no order.
const PIECES: [&str; 48] = [
    "EXEC",
    "CICS",
    "SQL",
    "INCLUDE",
    "END-EXEC",
    "READ",
    "FILE",
    "INTO",
    "HANDLE",
    "CONDITION",
    "ERROR",
    "LABEL",
    "(",
    ")",
    "'",
    "\"",
    "'A'",
    ".",
    ",",
    "==",
    ":",
    "-",
    "+",
    "1",
    "X",
    "COPY",
    "C",
    "REPLACING",
    "LEADING",
    "BY",
    "OF",
    "ADDRESS",
    "DFHRESP",
    "DFHVALUE",
    "ID",
    "DIVISION",
    "PROGRAM-ID",
    "PROCEDURE",
    "USING",
    "DATA",
    "LINKAGE",
    "SECTION",
    "DECLARATIVES",
    "END",
    "01",
    "DFHCOMMAREA",
    "*>",
    "é",
];
const BREAKS: [&str; 8] = [" ", " ", " ", "", "\n           ", "\n       ", "\n      -    ", "\n>>D "];

fn text() -> impl Strategy<Value = String> {
    let piece = (prop::sample::select(&PIECES[..]), prop::sample::select(&BREAKS[..]));
    prop::collection::vec(piece, 0..60).prop_map(|pieces| {
        let words: String = pieces.into_iter().map(|(piece, end)| format!("{piece}{end}")).collect();
        format!("       {words}")
    })
}

fn answer(text: &str) {
    let library = support::Members::new([("C", "       01  :A: PIC X.\n           EXEC CICS COPY C.\n")]);
    let translation = translate(
        &Source::new("P", text),
        &library,
        &Options { not_yet: NotYet::Translate, ..Options::default() },
    );
    let lines = translation.text.lines().count();
    assert_eq!(lines, translation.line_map.line_count());
    assert!((2..=lines).all(|line| translation.line_map.origin(line).is_some()));
    translation.messages.iter().for_each(|message| drop(message.to_string()));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_programs(text in text()) {
        answer(&text);
    }

    #[test]
    fn any_text(text in "(\\PC|\n|\t){0,200}") {
        answer(&text);
    }
}
