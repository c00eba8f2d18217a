//! Targets of names: qualification, subscripts, reference modification, sections, files, contained programs.

mod support;

use expect_test::{Expect, expect};
use support::{checked, program, said};

#[track_caller]
fn check(data: &str, statements: &str, expected: Expect) {
    expected.assert_eq(&said(&program(data, statements)));
}

#[test]
fn a_name_that_several_items_have_needs_its_group() {
    let data = "01 A.\n  05 X PIC X.\n  05 Y.\n    10 Z PIC X.\n01 B.\n  05 X PIC X.\n  05 Z PIC X.";
    check(data, "MOVE X OF A TO X IN B.\nMOVE Z OF Y OF A TO Z OF B.\nMOVE Z OF A TO X OF B.", expect![[""]]);
    check(
        data,
        "MOVE X TO X OF A.\nMOVE Z OF C TO X OF A.\nMOVE W TO X OF A.",
        expect![[r#"
        13:17 SPCK011 2 items have the name X
        14:17 SPCK011 there is an item Z, but none of C
        15:17 SPCK011 there is no item W
    "#]],
    );
}

#[test]
fn two_records_of_one_name_cannot_be_qualified_and_need_another() {
    let messages = checked(&program("01 X PIC X.\n01 X PIC X.\n01 A PIC X.", "MOVE X TO A.")).messages;
    let said: Vec<_> = messages.iter().map(|message| (&*message.message, &*message.help)).collect();
    assert_eq!(said, [("2 items have the name X", "give one of them another name")]);
}

#[test]
fn what_is_missing_is_told_once() {
    check(
        "01 A PIC X.",
        "MOVE W TO A.\nMOVE W TO A.",
        expect![[r#"
        7:17 SPCK011 there is no item W
    "#]],
    );
}

#[test]
fn subscripts_are_as_many_as_tables() {
    let data = "01 T.\n  05 R OCCURS 3.\n    10 C PIC X OCCURS 2.\n01 A PIC X.\n01 N PIC 9.";
    check(data, "MOVE C(1 2) TO A.\nMOVE C(N, N + 1) TO A.\nMOVE R(1) TO A.", expect![[""]]);
    check(
        data,
        "MOVE C TO A.\nMOVE C(1) TO A.\nMOVE A(1) TO A.\nMOVE R TO A.",
        expect![[r#"
        11:17 SPCK012 C takes 2 subscripts, not 0
        12:17 SPCK012 C takes 2 subscripts, not 1
        13:17 SPCK012 A is in no table, and takes no subscript
        14:17 SPCK012 R is in a table, and needs a subscript
    "#]],
    );
}

#[test]
fn reference_modification_is_for_characters() {
    let data = "01 A PIC X(5).\n01 B PIC S9(4) COMP.\n01 N PIC 9(4).";
    check(data, "MOVE A(2:3) TO N.\nMOVE N(1:2) TO A.\nMOVE A(N:) TO A.", expect![[""]]);
    check(
        data,
        "MOVE B(1:1) TO A.\nMOVE A(4:3) TO A.\nMOVE A(0:1) TO A.",
        expect![[r#"
        9:17 SPCK013 B is binary, and has no characters
        10:17 SPCK014 A has 5 characters, and this goes from 4 to 6
        11:17 SPCK014 A has 5 characters, and this goes from 0 to 0
    "#]],
    );
}

#[test]
fn a_paragraph_is_looked_for_in_its_section_first() {
    let text = "S1 SECTION.\nP.\n    PERFORM P.\nQ.\n    PERFORM R OF S2.\nS2 SECTION.\nP.\n    PERFORM Q.\nR.\n    PERFORM P.\nS3 SECTION.\nT.\n    PERFORM P.\n    PERFORM R OF S1.";
    check(
        "01 A PIC X.",
        text,
        expect![[r#"
        19:24 SPCK044 2 paragraphs have the name P
        20:24 SPCK044 R does not stand in that section
    "#]],
    );
}

#[test]
fn the_interface_block_is_there_where_only_the_communication_area_is() {
    let program = |header: &str| {
        format!(
            "       ID DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       LINKAGE SECTION.\n       \
             01 DFHCOMMAREA PIC X(8).\n       PROCEDURE DIVISION{header}.\n           IF EIBCALEN = 0 GOBACK.\n           GOBACK.\n"
        )
    };
    let told = |header: &str| {
        let source = diagnostics::Source::new("T.cbl", program(header));
        cobol_check::check(&source, &cobol_source::NoLibrary, &cobol_check::Options::default()).messages.len()
    };
    assert_eq!((told(""), told(" USING DFHCOMMAREA")), (0, 1));
}

#[test]
fn the_interface_block_is_there_where_commands_are() {
    check(
        "01 A PIC X(4).",
        "MOVE EIBTRNID TO A.\nMOVE DFHCOMMAREA TO A.\nEXEC CICS RETURN END-EXEC.",
        expect![[""]],
    );
    check(
        "01 A PIC X(4).",
        "MOVE EIBTRNID TO A.",
        expect![[r#"
        7:17 SPCK011 there is no item EIBTRNID
    "#]],
    );
}

#[test]
fn a_global_item_is_seen_in_contained_programs() {
    let inner = "ID DIVISION.\nPROGRAM-ID. I.\nPROCEDURE DIVISION.\n    MOVE G TO G.\n    MOVE L TO L.\nEND PROGRAM I.\nEND PROGRAM T.";
    check(
        "01 G PIC X GLOBAL.\n01 L PIC X.",
        &format!("GOBACK.\n{inner}"),
        expect![[r#"
        13:21 SPCK011 there is no item L
    "#]],
    );
}

#[test]
fn a_missing_copybook_is_told_and_not_what_it_would_have_described() {
    check(
        "COPY NOWHERE.",
        "MOVE A TO B.\nPERFORM C.",
        expect![[r#"
        5:8 SPTR010 no copybook NOWHERE
    "#]],
    );
}
