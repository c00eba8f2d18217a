//! Symbolic maps: a source of macros and the COBOL records that programs see.

mod common;

use bms::copybook;
use expect_test::{Expect, expect};

/// One map of two fields, with some operands of DFHMSD.
fn check(mapset_operands: &str, expected: Expect) {
    check_source(
        &format!(
            "\
TINY     DFHMSD TYPE=&SYSPARM,LANG=COBOL,\\
               {mapset_operands}
TINY     DFHMDI SIZE=(24,80)
         DFHMDF POS=(1,1),LENGTH=5,INITIAL='Name:'
NAME     DFHMDF POS=(1,7),LENGTH=20,ATTRB=UNPROT
MSG      DFHMDF POS=(24,1),LENGTH=79
         DFHMSD TYPE=FINAL
"
        ),
        expected,
    );
}

/// The copybook without the sequence area that each of its lines starts with.
fn check_source(source: &str, expected: Expect) {
    let copybook = copybook(&common::mapset(source));
    let lines = copybook.lines().map(|line| line.strip_prefix("       ").expect("text from column 8"));
    expected.assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn input_and_output_lie_over_each_other() {
    check(
        "MODE=INOUT,TIOAPFX=YES",
        expect![[r#"
            01  TINYI.
                02  FILLER PIC X(12) VALUE LOW-VALUE.
                02  NAMEL    COMP  PIC  S9(4).
                02  NAMEF    PICTURE X VALUE LOW-VALUE.
                02  FILLER REDEFINES NAMEF.
                  03  NAMEA    PICTURE X.
                02  NAMEI  PIC X(20) VALUE LOW-VALUE.
                02  MSGL    COMP  PIC  S9(4).
                02  MSGF    PICTURE X VALUE LOW-VALUE.
                02  FILLER REDEFINES MSGF.
                  03  MSGA    PICTURE X.
                02  MSGI  PIC X(79) VALUE LOW-VALUE.
            01  TINYO REDEFINES TINYI.
                02  FILLER PIC X(12).
                02  FILLER PICTURE X(3).
                02  NAMEO  PIC X(20).
                02  FILLER PICTURE X(3).
                02  MSGO  PIC X(79).
        "#]],
    );
}

#[test]
fn a_map_for_output_has_no_lengths() {
    check(
        "MODE=OUT,TIOAPFX=YES",
        expect![[r#"
            01  TINYO.
                02  FILLER PIC X(12) VALUE LOW-VALUE.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  NAMEA    PICTURE X VALUE LOW-VALUE.
                02  NAMEO  PIC X(20) VALUE LOW-VALUE.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  MSGA    PICTURE X VALUE LOW-VALUE.
                02  MSGO  PIC X(79) VALUE LOW-VALUE.
        "#]],
    );
}

#[test]
fn a_map_for_input_has_no_attributes() {
    check(
        "MODE=IN",
        expect![[r#"
            01  TINYI.
                02  NAMEL    COMP  PIC  S9(4).
                02  NAMEF    PICTURE X VALUE LOW-VALUE.
                02  NAMEI  PIC X(20) VALUE LOW-VALUE.
                02  MSGL    COMP  PIC  S9(4).
                02  MSGF    PICTURE X VALUE LOW-VALUE.
                02  MSGI  PIC X(79) VALUE LOW-VALUE.
        "#]],
    );
}

#[test]
fn extended_attributes_come_in_a_fixed_order() {
    check(
        "MODE=OUT,\\\nDSATTS=(VALIDN,HILIGHT,TRANSP,SOSI,OUTLINE,PS,COLOR)",
        expect![[r#"
            01  TINYO.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  NAMEA    PICTURE X VALUE LOW-VALUE.
                02  NAMEC    PICTURE X VALUE LOW-VALUE.
                02  NAMEP    PICTURE X VALUE LOW-VALUE.
                02  NAMEH    PICTURE X VALUE LOW-VALUE.
                02  NAMEV    PICTURE X VALUE LOW-VALUE.
                02  NAMEU    PICTURE X VALUE LOW-VALUE.
                02  NAMEM    PICTURE X VALUE LOW-VALUE.
                02  NAMET    PICTURE X VALUE LOW-VALUE.
                02  NAMEO  PIC X(20) VALUE LOW-VALUE.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  MSGA    PICTURE X VALUE LOW-VALUE.
                02  MSGC    PICTURE X VALUE LOW-VALUE.
                02  MSGP    PICTURE X VALUE LOW-VALUE.
                02  MSGH    PICTURE X VALUE LOW-VALUE.
                02  MSGV    PICTURE X VALUE LOW-VALUE.
                02  MSGU    PICTURE X VALUE LOW-VALUE.
                02  MSGM    PICTURE X VALUE LOW-VALUE.
                02  MSGT    PICTURE X VALUE LOW-VALUE.
                02  MSGO  PIC X(79) VALUE LOW-VALUE.
        "#]],
    );
}

#[test]
fn extatt_maponly_gives_programs_none() {
    check(
        "MODE=OUT,EXTATT=MAPONLY",
        expect![[r#"
            01  TINYO.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  NAMEA    PICTURE X VALUE LOW-VALUE.
                02  NAMEO  PIC X(20) VALUE LOW-VALUE.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  MSGA    PICTURE X VALUE LOW-VALUE.
                02  MSGO  PIC X(79) VALUE LOW-VALUE.
        "#]],
    );
}

#[test]
fn arrays_groups_and_pictures() {
    check_source(
        "\
SHAPES   DFHMSD TYPE=MAP,MODE=INOUT,TIOAPFX=YES,DSATTS=COLOR
SHAPES   DFHMDI SIZE=(24,80)
ROW      DFHMDF POS=(2,1),LENGTH=79,OCCURS=10
MONTH    DFHMDF POS=(15,1),LENGTH=2,ATTRB=BRT,GRPNAME=DAYS
SEP1     DFHMDF POS=(15,3),LENGTH=1,GRPNAME=DAYS,INITIAL='-'
DAY      DFHMDF POS=(15,4),LENGTH=2,GRPNAME=DAYS
AMOUNT   DFHMDF POS=(16,1),LENGTH=8,PICIN='9(8)',PICOUT='ZZZZ9.99'
COL      DFHMDF POS=(17,1),LENGTH=3,OCCURS=4
         DFHMSD TYPE=FINAL
",
        expect![[r#"
            01  SHAPESI.
                02  FILLER PIC X(12) VALUE LOW-VALUE.
                02  ROWD OCCURS 10 TIMES.
                  03  ROWL    COMP  PIC  S9(4).
                  03  ROWF    PICTURE X VALUE LOW-VALUE.
                  03  FILLER   PICTURE X(1) VALUE LOW-VALUE.
                  03  ROWI  PIC X(79) VALUE LOW-VALUE.
                02  DAYS.
                  03  MONTHL    COMP  PIC  S9(4).
                  03  MONTHF    PICTURE X VALUE LOW-VALUE.
                  03  FILLER REDEFINES MONTHF.
                    04  MONTHA    PICTURE X.
                  03  FILLER   PICTURE X(1) VALUE LOW-VALUE.
                  03  MONTHI  PIC X(2) VALUE LOW-VALUE.
                  03  SEP1I  PIC X(1) VALUE LOW-VALUE.
                  03  DAYI  PIC X(2) VALUE LOW-VALUE.
                02  AMOUNTL    COMP  PIC  S9(4).
                02  AMOUNTF    PICTURE X VALUE LOW-VALUE.
                02  FILLER REDEFINES AMOUNTF.
                  03  AMOUNTA    PICTURE X.
                02  FILLER   PICTURE X(1) VALUE LOW-VALUE.
                02  AMOUNTI  PIC 9(8).
                02  COLD OCCURS 4 TIMES.
                  03  COLL    COMP  PIC  S9(4).
                  03  COLF    PICTURE X VALUE LOW-VALUE.
                  03  FILLER   PICTURE X(1) VALUE LOW-VALUE.
                  03  COLI  PIC X(3) VALUE LOW-VALUE.
            01  SHAPESO REDEFINES SHAPESI.
                02  FILLER PIC X(12).
                02  DFHMS1 OCCURS 10 TIMES.
                  03  FILLER PICTURE X(2).
                  03  ROWA    PICTURE X.
                  03  ROWC    PICTURE X.
                  03  ROWO  PIC X(79).
                02  DAYS.
                  03  FILLER PICTURE X(3).
                  03  MONTHC    PICTURE X.
                  03  MONTHO  PIC X(2).
                  03  SEP1O  PIC X(1).
                  03  DAYO  PIC X(2).
                02  FILLER PICTURE X(3).
                02  AMOUNTC    PICTURE X.
                02  AMOUNTO  PIC ZZZZ9.99.
                02  DFHMS2 OCCURS 4 TIMES.
                  03  FILLER PICTURE X(2).
                  03  COLA    PICTURE X.
                  03  COLC    PICTURE X.
                  03  COLO  PIC X(3).
        "#]],
    );
}

/// Two maps of one field each.
fn two_maps(operands: &str, expected: Expect) {
    check_source(
        &format!(
            "\
PAIR     DFHMSD TYPE=MAP,MODE=INOUT{operands}
BIG      DFHMDI SIZE=(24,80)
LONG     DFHMDF POS=(1,1),LENGTH=40
LITTLE   DFHMDI SIZE=(24,80)
SHORT    DFHMDF POS=(1,1),LENGTH=4
         DFHMSD TYPE=FINAL
"
        ),
        expected,
    );
}

#[test]
fn maps_of_a_mapset_share_storage() {
    two_maps(
        "",
        expect![[r#"
            01  BIGI.
                02  LONGL    COMP  PIC  S9(4).
                02  LONGF    PICTURE X VALUE LOW-VALUE.
                02  FILLER REDEFINES LONGF.
                  03  LONGA    PICTURE X.
                02  LONGI  PIC X(40) VALUE LOW-VALUE.
            01  BIGO REDEFINES BIGI.
                02  FILLER PICTURE X(3).
                02  LONGO  PIC X(40).
            01  LITTLEI REDEFINES BIGI.
                02  SHORTL    COMP  PIC  S9(4).
                02  SHORTF    PICTURE X.
                02  FILLER REDEFINES SHORTF.
                  03  SHORTA    PICTURE X.
                02  SHORTI  PIC X(4).
            01  LITTLEO REDEFINES LITTLEI.
                02  FILLER PICTURE X(3).
                02  SHORTO  PIC X(4).
        "#]],
    );
}

#[test]
fn unless_each_has_its_own() {
    two_maps(
        ",STORAGE=AUTO",
        expect![[r#"
            01  BIGI.
                02  LONGL    COMP  PIC  S9(4).
                02  LONGF    PICTURE X VALUE LOW-VALUE.
                02  FILLER REDEFINES LONGF.
                  03  LONGA    PICTURE X.
                02  LONGI  PIC X(40) VALUE LOW-VALUE.
            01  BIGO REDEFINES BIGI.
                02  FILLER PICTURE X(3).
                02  LONGO  PIC X(40).
            01  LITTLEI.
                02  SHORTL    COMP  PIC  S9(4).
                02  SHORTF    PICTURE X VALUE LOW-VALUE.
                02  FILLER REDEFINES SHORTF.
                  03  SHORTA    PICTURE X.
                02  SHORTI  PIC X(4) VALUE LOW-VALUE.
            01  LITTLEO REDEFINES LITTLEI.
                02  FILLER PICTURE X(3).
                02  SHORTO  PIC X(4).
        "#]],
    );
}

#[test]
fn or_all_lie_over_an_item_of_the_program() {
    two_maps(
        ",BASE=WORKAREA",
        expect![[r#"
                   01  BIGI REDEFINES WORKAREA.
                       02  LONGL    COMP  PIC  S9(4).
                       02  LONGF    PICTURE X.
                       02  FILLER REDEFINES LONGF.
                         03  LONGA    PICTURE X.
                       02  LONGI  PIC X(40).
                   01  BIGO REDEFINES BIGI.
                       02  FILLER PICTURE X(3).
                       02  LONGO  PIC X(40).
                   01  LITTLEI REDEFINES WORKAREA.
                       02  SHORTL    COMP  PIC  S9(4).
                       02  SHORTF    PICTURE X.
                       02  FILLER REDEFINES SHORTF.
                         03  SHORTA    PICTURE X.
                       02  SHORTI  PIC X(4).
                   01  LITTLEO REDEFINES LITTLEI.
                       02  FILLER PICTURE X(3).
                       02  SHORTO  PIC X(4).
        "#]],
    );
}

#[test]
fn long_names_stay_within_the_text_area() {
    check_source(
        "\
LONG     DFHMSD TYPE=MAP,MODE=OUT
LONG     DFHMDI SIZE=(24,80)
CUSTOMER-POSTAL-ADDRESS-LINE1 DFHMDF POS=(1,1),LENGTH=20,\\
               PICOUT='ZZZ,ZZZ,ZZZ,ZZ9.99CR'
         DFHMSD TYPE=FINAL
",
        expect![[r#"
            01  LONGO.
                02  FILLER PICTURE X(2) VALUE LOW-VALUE.
                02  CUSTOMER-POSTAL-ADDRESS-LINE1A
                    PICTURE X VALUE LOW-VALUE.
                02  CUSTOMER-POSTAL-ADDRESS-LINE1O  PIC ZZZ,ZZZ,ZZZ,ZZ9.99CR.
        "#]],
    );
}

#[test]
fn a_map_without_named_fields_is_a_record_nevertheless() {
    check_source(
        "\
EMPTY    DFHMSD TYPE=MAP,MODE=OUT
EMPTY    DFHMDI SIZE=(24,80)
         DFHMDF POS=(1,1),INITIAL='nothing to fill in'
         DFHMSD TYPE=FINAL
",
        expect![[r#"
                   01  EMPTYO.
                       02  FILLER PIC X.
        "#]],
    );
}
