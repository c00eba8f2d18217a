//! The assembler: the meaning of a source of macros.

mod common;

use bms::{Control, Field, FieldAttribute, Initial, Justify, LineWidth, Mode, Placement, Start, Storage};
use common::mapset;
use tn3270::datastream::Size;

/// The only field of a map, written with these operands.
fn field(operands: &str) -> Field {
    let source = format!(
        "\
SET      DFHMSD TYPE=MAP,MODE=INOUT
MAP      DFHMDI SIZE=(24,80)
FIELD    DFHMDF {operands}
         DFHMSD TYPE=FINAL
"
    );
    mapset(&source).maps.remove(0).fields.remove(0)
}

#[test]
fn a_mapset_with_all_it_can_say() {
    let mapset = mapset(
        "\
*  A comment, and statements that say nothing about maps
         PRINT NOGEN
         TITLE 'ORDERS'
.*
ORDSET   DFHMSD TYPE=&&SYSPARM,MODE=INOUT,LANG=COBOL2,TERM=3270-2,     first\\
               STORAGE=AUTO,CTRL=(FREEKB,FRSET)        a remark
         SPACE 2
ORDMAP   DFHMDI SIZE=(12,40),LINE=3,COLUMN=NEXT,JUSTIFY=(RIGHT,FIRST),\\
               TRAILER=YES,CURSLOC=YES
         EJECT
ordhelp  dfhmdi size=(24,80),ctrl=(alarm,print,l40)
         DFHMSD TYPE=FINAL
         END
what comes after END is not read
",
    );
    assert_eq!((mapset.name.as_str(), &mapset.storage), ("ORDSET", &Storage::Separate));
    let [order, help] = mapset.maps.as_slice() else { panic!("{mapset:?}") };
    assert_eq!((order.mode, order.size), (Mode::InOut, Size::new(12, 40)));
    assert_eq!((order.line, order.column), (Start::At(3), Start::Next));
    assert_eq!(order.placement, Placement { right: true, first: true, last: false });
    assert_eq!(order.control, Control { freekb: true, frset: true, ..Control::default() });
    assert!(order.trailer && !order.header && order.cursor_flagged && !order.prefix);
    let control = Control { alarm: true, print: true, width: LineWidth::L40, ..Control::default() };
    assert_eq!((help.name.as_str(), help.control), ("ORDHELP", control));
}

#[test]
fn an_operand_without_a_value_is_left_out() {
    let plain = field("POS=(2,1),LENGTH=2");
    assert_eq!(field("POS=(2,1),COLOR=,LENGTH=2,PICIN="), plain);
}

#[test]
fn positions_are_line_and_column_or_a_displacement() {
    for (operands, position) in [("POS=(1,1)", 0), ("POS=(2,1)", 80), ("POS=(24,78)", 1917), ("POS=81", 81)] {
        assert_eq!(field(&format!("{operands},LENGTH=2")).position, position, "{operands}");
    }
}

#[test]
fn attributes() {
    let table = [
        ("", FieldAttribute::AUTOSKIP, 0xF0),
        (",ATTRB=ASKIP", FieldAttribute::AUTOSKIP, 0xF0),
        (",ATTRB=(ASKIP,PROT)", FieldAttribute::AUTOSKIP, 0xF0),
        (",ATTRB=(PROT,BRT)", FieldAttribute::PROTECTED.with(FieldAttribute::BRIGHT), 0xE8),
        (",ATTRB=(UNPROT,NORM)", FieldAttribute::UNPROTECTED, 0x40),
        (",ATTRB=NORM", FieldAttribute::UNPROTECTED, 0x40),
        (",ATTRB=(NUM,FSET)", FieldAttribute::NUMERIC.with(FieldAttribute::MODIFIED), 0xD1),
        (",ATTRB=(DRK,UNPROT)", FieldAttribute::DARK, 0x4C),
        (",ATTRB=(DET,PROT)", FieldAttribute::PROTECTED.with(FieldAttribute::DETECTABLE), 0xE4),
    ];
    for (operands, attribute, character) in table {
        let field = field(&format!("POS=(1,1),LENGTH=2{operands}"));
        assert_eq!(field.attribute, attribute, "{operands}");
        assert_eq!(field.attribute.to_ebcdic(), character, "{operands}");
    }
    assert!(field("POS=(1,1),LENGTH=2,ATTRB=(UNPROT,IC)").cursor);
}

#[test]
fn justification_follows_from_what_is_given() {
    let table = [
        ("", (false, false)),
        (",ATTRB=(UNPROT,NUM)", (true, true)),
        (",JUSTIFY=LEFT", (false, false)),
        (",JUSTIFY=RIGHT", (true, true)),
        (",JUSTIFY=(RIGHT)", (true, true)),
        (",JUSTIFY=(RIGHT,BLANK)", (true, false)),
        (",JUSTIFY=ZERO", (true, true)),
        (",JUSTIFY=(LEFT,ZERO)", (false, true)),
        (",JUSTIFY=BLANK", (false, false)),
        (",ATTRB=(UNPROT,NUM),JUSTIFY=LEFT", (false, false)),
    ];
    for (operands, (right, zero)) in table {
        let justify = field(&format!("POS=(1,1),LENGTH=2{operands}")).justify;
        assert_eq!(justify, Justify { right, zero }, "{operands}");
    }
}

#[test]
fn initial_values() {
    let table = [
        ("INITIAL='Tran :'", Initial::Characters(b"Tran :".to_vec()), 6),
        ("INITIAL='it''s R&&D'", Initial::Characters(b"it's R&D".to_vec()), 8),
        ("INITIAL='a, b (c) *'", Initial::Characters(b"a, b (c) *".to_vec()), 10),
        ("INITIAL='£5'", Initial::Characters(vec![0xA3, b'5']), 2),
        ("XINIT=0E42C10F", Initial::Bytes(vec![0x0E, 0x42, 0xC1, 0x0F]), 4),
        ("LENGTH=3,XINIT='c1'", Initial::Bytes(vec![0xC1]), 3),
        ("PICOUT='Z,ZZ9'", Initial::None, 5),
    ];
    for (operands, initial, length) in table {
        let field = field(&format!("POS=(1,1),{operands}"));
        assert_eq!((field.initial, field.length), (initial, length), "{operands}");
    }
}

#[test]
fn a_quoted_text_runs_through_column_71_and_goes_on_in_column_16() {
    // Column 71 holds the blank between the words.
    let field = field("POS=(1,1),LENGTH=60,INITIAL='twenty-five letters and a \\\nfew more'");
    assert_eq!(field.initial, Initial::Characters(b"twenty-five letters and a few more".to_vec()));
}

#[test]
fn extended_attributes_are_inherited() {
    let mapset = mapset(
        "\
SET      DFHMSD TYPE=MAP,COLOR=BLUE,HILIGHT=BLINK
MAP      DFHMDI SIZE=(24,80),COLOR=GREEN,VALIDN=(MUSTFILL,MUSTENTER)
         DFHMDF POS=(1,1),LENGTH=2
         DFHMDF POS=(2,1),LENGTH=2,COLOR=DEFAULT,HILIGHT=REVERSE,\\
               PS=A,OUTLINE=BOX
         DFHMSD TYPE=FINAL
",
    );
    use bms::Extended::{Colour, Highlight, Outline, Symbols, Validation};
    let of = |nth: usize| {
        [Colour, Symbols, Highlight, Validation, Outline].map(|k| mapset.maps[0].fields[nth].extended.get(k))
    };
    assert_eq!(of(0), [0xF4, 0x00, 0xF1, 0x06, 0x00]);
    assert_eq!(of(1), [0x00, 0xC1, 0xF2, 0x06, 0x0F]);
}
