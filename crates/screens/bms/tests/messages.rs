//! The assembler's messages about faulty sources.

mod common;

use bms::assemble;
use common::source;
use diagnostics::Source;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn check(text: &str, expected: Expect) {
    let assembly = assemble(&Source::new("M.bms", source(text)));
    let said: String = assembly.messages.iter().map(|message| format!("{message}\n")).collect();
    expected.assert_eq(&said);
}

/// The numbers of a source's messages.
fn numbers(text: &str) -> Vec<&'static str> {
    let assembly = assemble(&Source::new("M.bms", source(text)));
    assembly.messages.iter().map(|message| message.code).collect()
}

/// The numbers of the messages about one more statement of a map.
fn said(statement: &str) -> Vec<&'static str> {
    numbers(&format!(
        "\
SET      DFHMSD TYPE=MAP,MODE=INOUT,MAPATTS=HILIGHT
MAP      DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGTH=8
{statement}
         DFHMSD TYPE=FINAL
"
    ))
}

#[test]
fn an_unknown_operand_shows_the_line_and_the_nearest_one() {
    check(
        "\
SET      DFHMSD TYPE=MAP,MODE=INOUT
MAP      DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGHT=8,LENGTH=8
         DFHMSD TYPE=FINAL
",
        expect![[r#"
            error[SPMA006]: LENGHT is not an operand of DFHMDF
             --> M.bms:3:27
              |
            3 | NAME     DFHMDF POS=(1,1),LENGHT=8,LENGTH=8
              |                           ^^^^^^ unknown operand
              |
              = help: did you mean LENGTH?
        "#]],
    );
}

#[test]
fn a_missing_continuation_mark_is_said_and_mended() {
    check(
        "\
SET      DFHMSD TYPE=MAP,
               MODE=INOUT
MAP      DFHMDI SIZE=(24,80)
         DFHMSD TYPE=FINAL
",
        expect![[r#"
            error[SPMA001]: this line goes on, but column 72 holds no continuation mark
             --> M.bms:1:25
              |
            1 | SET      DFHMSD TYPE=MAP,
              |                         ^ more is expected after this
              |
              = help: put any character in column 72, or take the comma away
        "#]],
    );
}

#[test]
fn overlapping_fields_show_both_lines() {
    check(
        "\
SET      DFHMSD TYPE=MAP,MODE=INOUT
MAP      DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGTH=8
CITY     DFHMDF POS=(1,9),LENGTH=8
         DFHMSD TYPE=FINAL
",
        expect![[r#"
            warning[SPMA022]: the field overlaps NAME of line 3
             --> M.bms:4:17
              |
            4 | CITY     DFHMDF POS=(1,9),LENGTH=8
              |                 ^^^ starts within that field, or on its attribute
              |
              = help: leave one position between a field's data and the next field's data for the attribute character
        "#]],
    );
}

#[test]
fn a_field_outside_its_map() {
    check(
        "\
SET      DFHMSD TYPE=MAP,MODE=INOUT
MAP      DFHMDI SIZE=(10,40)
NAME     DFHMDF POS=(10,36),LENGTH=5
         DFHMSD TYPE=FINAL
",
        expect![[r#"
            error[SPMA021]: the field lies outside its map
             --> M.bms:3:17
              |
            3 | NAME     DFHMDF POS=(10,36),LENGTH=5
              |                 ^^^ starts or ends beyond the map
              |
              = help: the map has 10 lines of 40 columns: move or shorten the field, or enlarge SIZE
        "#]],
    );
}

#[test]
fn every_mistake_has_its_number() {
    let table: &[(&str, &[&str])] = &[
        ("         DFHMDF POS=(2,1),LENGTH=8,", &["SPMA035"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,INITIAL='open", &["SPMA004"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,PROT", &["SPMA005"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,SIZE=(1,1)", &["SPMA006"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,LENGTH=9", &["SPMA007"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,COLOR=ORANGE", &["SPMA008"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,COLOR=(RED,BLUE)", &["SPMA008", "SPMA027"]),
        ("         DFHMDF POS=(2,1,1),LENGTH=8", &["SPMA008"]),
        ("         DFHMDF POS=(2,0),LENGTH=8", &["SPMA008"]),
        ("         DFHMDF POS=(2,1),LENGTH=x", &["SPMA008"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,XINIT=C1C", &["SPMA008"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,INITIAL=bare", &["SPMA008"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,PICIN='QQ'", &["SPMA008"]),
        ("         DFHMFD POS=(2,1),LENGTH=8", &["SPMA009"]),
        ("         DFHMDI SIZE=(24,80)", &["SPMA014"]),
        ("LONGERNAM DFHMDI SIZE=(24,80)", &["SPMA015"]),
        ("1ST      DFHMDF POS=(2,1),LENGTH=8", &["SPMA016"]),
        ("MAP      DFHMDI SIZE=(24,80)", &["SPMA017"]),
        ("NAME     DFHMDF POS=(2,1),LENGTH=8", &["SPMA018"]),
        ("         DFHMDF LENGTH=8", &["SPMA019"]),
        ("         DFHMDF POS=(2,1)", &[]),
        ("STOP     DFHMDF POS=(2,1)", &["SPMA032"]),
        ("         DFHMDF POS=(25,1),LENGTH=8", &["SPMA021"]),
        ("         DFHMDF POS=(1,81),LENGTH=8", &["SPMA021"]),
        ("         DFHMDF POS=1920,LENGTH=8", &["SPMA021"]),
        ("         DFHMDF POS=(20,1),LENGTH=79,OCCURS=6", &["SPMA021"]),
        ("         DFHMDF POS=(1,5),LENGTH=1", &["SPMA022"]),
        ("         DFHMDF POS=(2,1),LENGTH=8,ATTRB=(PROT,UNPROT)", &["SPMA023"]),
        ("         DFHMDF POS=(2,1),LENGTH=1,INITIAL='A',XINIT=C1", &["SPMA023"]),
        ("G        DFHMDF POS=(2,1),LENGTH=1,GRPNAME=H,OCCURS=2", &["SPMA023"]),
        ("         DFHMDF POS=(2,1),LENGTH=1,INITIAL='AB'", &["SPMA024"]),
        ("         DFHMDF POS=(2,1),LENGTH=1,INITIAL='–'", &["SPMA025"]),
        ("         DFHMDF POS=(2,1),LENGTH=1,INITIAL='€'", &["SPMA037"]),
        ("         DFHMDF POS=(2,1),LENGTH=4,GINIT=G'AB'", &["SPMA026"]),
        ("         DFHPSD", &["SPMA026"]),
        ("         DFHMDF POS=(2,1),LENGTH=4,COLOR=RED", &["SPMA027"]),
        (
            "A        DFHMDF POS=(2,1),LENGTH=4,GRPNAME=G\nB        DFHMDF POS=(3,1),LENGTH=4\n\
             C        DFHMDF POS=(2,5),LENGTH=4,GRPNAME=G",
            &["SPMA028", "SPMA022"],
        ),
        ("A        DFHMDF POS=(2,1),LENGTH=4,PICOUT='ZZ9'", &["SPMA029"]),
        ("OTHER    DFHMDI LINE=2", &["SPMA030"]),
        ("A        DFHMDF POS=(2,1),LENGTH=0", &["SPMA032"]),
    ];
    for (statement, expected) in table {
        assert_eq!(said(statement), *expected, "{statement}");
    }
}

#[test]
fn macros_must_come_in_their_order() {
    let table: &[(&str, &[&str])] = &[
        ("", &["SPMA013"]),
        ("* only a comment\n", &["SPMA013"]),
        ("MAP      DFHMDI SIZE=(24,80)\n", &["SPMA010"]),
        ("         DFHMDF POS=(1,1),LENGTH=1\n", &["SPMA010"]),
        (
            "SET      DFHMSD TYPE=MAP\n         DFHMDF POS=(1,1),LENGTH=1\n         DFHMSD TYPE=FINAL\n",
            &["SPMA011"],
        ),
        ("SET      DFHMSD TYPE=MAP\n", &["SPMA012"]),
        ("         DFHMSD TYPE=MAP\n         DFHMSD TYPE=FINAL\n", &["SPMA014"]),
        ("SET      DFHMSD TYPE=MAP\nTES      DFHMSD TYPE=FINAL\n", &["SPMA033"]),
        ("SET      DFHMSD TYPE=MAP,STORAGE=AUTO,BASE=X\n         DFHMSD TYPE=FINAL\n", &["SPMA023"]),
        ("SET      DFHMSD TYPE=MAP,DATA=BLOCK\n         DFHMSD TYPE=FINAL\n", &["SPMA026"]),
        ("SET      DFHMSD TYPE=MAP\n         DFHMSD TYPE=FINAL\\\n", &["SPMA002"]),
    ];
    for (text, expected) in table {
        assert_eq!(numbers(text), *expected, "{text}");
    }
}

#[test]
fn a_line_that_runs_into_column_72_does_not_swallow_the_next() {
    let long = format!("         DFHMDF POS=(2,1),LENGTH=60,INITIAL='{}'", "x".repeat(40));
    assert_eq!(
        said(&format!("{long}\n         DFHMDF POS=(9,1),LENGTH=8,COLOUR=RED")),
        ["SPMA034", "SPMA004", "SPMA006"]
    );
}

#[test]
fn a_continuation_starts_in_column_16() {
    let marked = format!("{:71}X", "         DFHMDF POS=(2,1),LENGTH=8,");
    assert_eq!(said(&format!("{marked}\n            COLOR=RED")), ["SPMA003", "SPMA006"]);
    assert_eq!(said(&format!("{marked}\n                 CASE=MIXED")), ["SPMA036"]);
    let remark = format!("{:71}X", "         DFHMDF POS=(2,1),LENGTH=8 a remark,");
    assert_eq!(said(&format!("{remark}\n                 that goes on")), [""; 0]);
}

#[test]
fn a_map_has_not_more_named_fields_than_programs_can_take() {
    let fields: String =
        (0..1024).map(|nth| format!("F{nth:<7} DFHMDF POS={},LENGTH=0,ATTRB=PROT\n", nth)).collect();
    let said = said(&fields);
    assert!(said.contains(&"SPMA031"), "{said:?}");
}

#[test]
fn no_source_is_a_panic() {
    let texts = [
        "'",
        "A",
        "A B",
        "A B C='",
        "A DFHMDF =",
        "X DFHMSD TYPE=(",
        ")",
        " DFHMDF POS=(,)",
        "\u{1F600} DFHMSD \t",
    ];
    for text in texts {
        numbers(text);
        said(text);
    }
}

proptest! {
    #[test]
    fn no_statement_is_a_panic(statement in "[A-Z ]{0,9}DFHM[SDI][DIF] [A-Z=(),'&0-9 ]{0,60}[X\\\\]?") {
        said(&statement);
    }
}
