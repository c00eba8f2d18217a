//! COPY, REPLACING and EXEC SQL INCLUDE; continuation lines, comments and the two reference formats.

use std::collections::BTreeMap;
use std::sync::Arc;

use cobol_source::{Format, Library, Token, read};
use diagnostics::Source;
use expect_test::{Expect, expect};

const COPYBOOKS: [(&str, &str); 7] = [
    (
        "REC",
        "       01  :TAG:-REC.\n           05  :TAG:-KEY   PIC X(8).\n           05  WS-:TAG:-N   PIC 9(3).\n",
    ),
    (
        "NAMES",
        "       01  OLD-REC.\n           05  OLD-KEY PIC X(4) VALUE 'OLD-'.\n           05  A-OLD PIC X.\n",
    ),
    ("OUTER", "       01  G.\n      * a comment\n           COPY INNER.\n"),
    ("INNER", "           05  I PIC X.\n"),
    ("CODE", "           MOVE A TO B (1)\n           ADD 1 TO C.\n"),
    ("PIECE", "           MOVE A TO B\n"),
    ("TRACED", "           PERFORM FAIL.\n      D    TRACE IT.\n           ADD 1 TO C.\n"),
];

/// Members by upper-case name.
struct Members(BTreeMap<String, Arc<Source>>);

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        self.0.get(&name.to_uppercase()).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// Reads lines of a program that start in column 1 and shows their words, each line with the one it comes from.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let members = COPYBOOKS.map(|(name, text)| (name.to_owned(), Source::new(name, text)));
    let library = Members(BTreeMap::from(members));
    let text = read(&Source::new("P", text), &library, Format::Detect, 4);
    let mut shown: String =
        text.messages.list.iter().map(|m| format!("{}: {}\n", m.code, m.message)).collect();
    for line in text.tokens.chunk_by(|one, next| (one.at.frame, one.at.line) == (next.at.frame, next.at.line))
    {
        let origin = text.messages.frames.origin(line[0].at);
        let through: String =
            origin.through.iter().map(|p| format!("{}:{} > ", p.source.name, p.line)).collect();
        let glued = |word: &Token| if word.is_glued() { "" } else { " " };
        let words: String = line.iter().map(|word| format!("{}{}", glued(word), word.text)).collect();
        shown.push_str(&format!(
            "{through}{}:{} {}\n",
            origin.place.source.name,
            origin.place.line,
            words.trim()
        ));
    }
    expected.assert_eq(&shown);
}

#[test]
fn members_are_copied_with_their_members() {
    check(
        "       COPY OUTER.\n       77  A PIC X. COPY INNER IN LIB. 77  B PIC X.\n       COPY 'inner   ' SUPPRESS.\n",
        expect![[r#"
            P:1 > OUTER:1 01 G.
            P:1 > OUTER:3 > INNER:1 05 I PIC X.
            P:2 77 A PIC X.
            P:2 > INNER:1 05 I PIC X.
            P:2 77 B PIC X.
            P:3 > INNER:1 05 I PIC X.
        "#]],
    );
}

#[test]
fn replacing_makes_words_of_pieces() {
    check(
        "       COPY REC REPLACING ==:TAG:== BY ==CUST==.\n",
        expect![[r#"
            P:1 > REC:1 01 CUST-REC.
            P:1 > REC:2 05 CUST-KEY PIC X(8).
            P:1 > REC:3 05 WS-CUST-N PIC 9(3).
        "#]],
    );
}

#[test]
fn replacing_whole_words_and_parts_of_words() {
    check(
        "       COPY NAMES REPLACING OLD-REC BY NEW-REC 'OLD-' BY \"new\".\n",
        expect![[r#"
            P:1 > NAMES:1 01 NEW-REC.
            P:1 > NAMES:2 05 OLD-KEY PIC X(4) VALUE "new".
            P:1 > NAMES:3 05 A-OLD PIC X.
        "#]],
    );
    check(
        "       COPY NAMES REPLACING LEADING ==OLD== BY ==N==\n           TRAILING ==OLD== BY ==NEW==.\n",
        expect![[r#"
            P:1 > NAMES:1 01 N-REC.
            P:1 > NAMES:2 05 N-KEY PIC X(4) VALUE 'OLD-'.
            P:1 > NAMES:3 05 A-NEW PIC X.
        "#]],
    );
    check(
        "       COPY CODE REPLACING B (1) BY X OF Y ==ADD 1 TO== BY ====.\n",
        expect![[r#"
            P:1 > CODE:1 MOVE A TO X OF Y
            P:1 > CODE:2 C.
        "#]],
    );
}

#[test]
fn include_is_copy_and_keeps_the_sentence_whole() {
    check(
        "           EXEC SQL INCLUDE CODE END-EXEC.\n           GOBACK.\n",
        expect![[r#"
            P:1 > CODE:1 MOVE A TO B (1)
            P:1 > CODE:2 ADD 1 TO C.
            P:2 GOBACK.
        "#]],
    );
    check(
        "           IF X EXEC SQL INCLUDE PIECE END-EXEC.\n           GOBACK.\n",
        expect![[r#"
            P:1 IF X
            P:1 > PIECE:1 MOVE A TO B
            P:1 .
            P:2 GOBACK.
        "#]],
    );
}

#[test]
fn literals_and_words_go_on_in_the_next_line() {
    let open = format!("{:<72}", "           MOVE 'It''s a long");
    check(
        &format!("{open}IGNORED\n      *\n      -    ' way' TO A-VERY-\n      -    LONG-NAME.\n"),
        expect![[r#"
            P:1 MOVE 'It''s a long                                            way'
            P:3 TO A-VERY-LONG-NAME.
        "#]],
    );
    let quote = format!("{:>72}", "MOVE 'It'");
    check(
        &format!("{quote}\n      -    ''s' TO A.\n"),
        expect![[r#"
            P:1 MOVE 'It''s'
            P:2 TO A.
        "#]],
    );
}

#[test]
fn comments_and_debugging_lines_are_left_out() {
    check(
        "      * COPY NOWHERE.\n           MOVE '*> no' TO A *> COPY B\n      D    DISPLAY A.\n           .\n",
        expect![[r#"
            P:2 MOVE '*> no' TO A
            P:4 .
        "#]],
    );
    check(
        "       SOURCE-COMPUTER. X WITH DEBUGGING MODE.\n      D    DISPLAY A.\n",
        expect![[r#"
            P:1 SOURCE-COMPUTER. X WITH DEBUGGING MODE.
            P:2 DISPLAY A.
        "#]],
    );
}

#[test]
fn free_format_by_directive_or_by_its_looks() {
    check(
        "       >>SOURCE FORMAT IS FREE\nMOVE A TO B *> b\n>>D DISPLAY A\n>>IF X DEFINED\nGOBACK\n>>END-IF\n",
        expect![[r#"
            P:2 MOVE A TO B
        "#]],
    );
    check(
        "identification division.\nprogram-id. p.\nprocedure division. goback.\n",
        expect![[r#"
            P:1 identification division.
            P:2 program-id. p.
            P:3 procedure division. goback.
        "#]],
    );
}

#[test]
fn words_of_any_kind_go_on_in_the_next_line() {
    check(
        "       77  A PIC S9(\n      -        6)V9(2).\n           MOVE -\n      -        9\n      -        9.\n      -        5 TO A\n\
         \x20          ADD FIRST\n      -        -ITEM TO A.\n",
        expect![[r#"
            P:1 77 A PIC S9(6)V9(2).
            P:3 MOVE -99.5
            P:6 TO A
            P:7 ADD FIRST-ITEM
            P:8 TO A.
        "#]],
    );
}

#[test]
fn separators_are_blanks_where_text_is_compared() {
    check(
        "           REPLACE ==MOVE;  A  , TO== BY ==MOVE B TO==.\n           MOVE  , A;      TO  C.\n           MOVE A,5 TO C.\n           REPLACE OFF.\n",
        expect![[r#"
            P:2 MOVE B TO C.
            P:3 MOVE A,5 TO C.
        "#]],
    );
}

#[test]
fn replacing_by_numbers_with_signs() {
    check(
        "       COPY CODE REPLACING A BY -3 ==1== BY +004.99.\n",
        expect![[r#"
            P:1 > CODE:1 MOVE -3 TO B (+004.99)
            P:1 > CODE:2 ADD +004.99 TO C.
        "#]],
    );
}

#[test]
fn debugging_lines_are_compared_and_left_out() {
    check(
        "       COPY TRACED REPLACING ==FAIL. TRACE IT. ADD==\n           BY ==PASS. SUBTRACT==.\n       COPY TRACED REPLACING C BY D.\n",
        expect![[r#"
            P:1 > TRACED:1 PERFORM PASS. SUBTRACT
            P:1 > TRACED:3 1 TO C.
            P:3 > TRACED:1 PERFORM FAIL.
            P:3 > TRACED:3 ADD 1 TO D.
        "#]],
    );
}
