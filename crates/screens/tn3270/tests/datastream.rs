//! Streams written to a terminal, and records read from one.

use ebcdic::CodePage;
use expect_test::{Expect, expect};
use tn3270::datastream::{
    Address, Aid, BadRecord, BadStream, Capabilities, CharacterSet, Colour, Command, FieldAttribute,
    Highlight, Inbound, Input, Outbound, Size, Visibility, Wcc, attribute, orders, read_query_reply,
    restores_keyboard, write_query_reply,
};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex")).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| CodePage::Ibm037.shown(byte)).collect()
}

#[test]
fn addresses_are_sent_in_12_bits_where_they_do_and_else_in_14() {
    for (address, sent) in [(0, "40 40"), (79, "C1 4F"), (80, "C1 50"), (1919, "5D 7F"), (4095, "7F 7F")] {
        assert_eq!(hex(&Address(address).encode()), sent);
    }
    assert_eq!(hex(&Address(4096).encode()), "10 00");
    assert_eq!(hex(&Address(9919).encode()), "26 BF");
    for address in 0..Size::POSITIONS_MAX as u16 {
        assert_eq!(Address::decode(Address(address).encode()), Address(address));
    }
}

#[test]
fn a_position_is_a_row_and_a_column_from_1() {
    assert_eq!(Address::at(Size::MODEL_2, 1, 1), Address(0));
    assert_eq!(Address::at(Size::MODEL_2, 24, 80), Address(1919));
    assert_eq!(Address::at(Size { rows: 27, columns: 132 }, 2, 1), Address(132));
}

#[test]
fn each_key_has_its_aid() {
    let keys = (1..=24).map(Aid::Pf).chain((1..=3).map(Aid::Pa)).chain([Aid::Enter, Aid::Clear]);
    let codes: Vec<u8> = keys.clone().map(Aid::code).collect();
    expect!["F1 F2 F3 F4 F5 F6 F7 F8 F9 7A 7B 7C C1 C2 C3 C4 C5 C6 C7 C8 C9 4A 4B 4C 6C 6E 6B 7D 6D"]
        .assert_eq(&hex(&codes));
    for (key, code) in keys.zip(codes) {
        assert_eq!(Aid::of(code), Some(key));
    }
    assert_eq!(Aid::Pf(25).code(), Aid::None.code(), "there is no such key");
}

#[test]
fn field_attributes_have_the_values_that_programs_use() {
    let plain = FieldAttribute::default();
    for (attribute, code) in [
        (plain, 0x40),
        (plain.numeric(true), 0x50),
        (plain.protected(true), 0x60),
        (plain.protected(true).numeric(true), 0xF0),
        (plain.visibility(Visibility::Bright), 0xC8),
        (plain.visibility(Visibility::Dark), 0x4C),
        (plain.modified(true), 0xC1),
        (plain.protected(true).numeric(true).visibility(Visibility::Bright), 0xF8),
        (plain.visibility(Visibility::Dark).modified(true), 0x4D),
    ] {
        assert_eq!(attribute.code(), code);
        assert_eq!(FieldAttribute::of(code), attribute);
    }
}

#[test]
fn colours_and_highlights_have_the_values_that_programs_use() {
    assert_eq!(Colour::Neutral.code(), 0xF7);
    assert_eq!(Highlight::Underscore.code(), 0xF4);
    for code in 0..=u8::MAX {
        assert_eq!(Colour::of(code).code(), code);
        assert_eq!(Highlight::of(code).code(), code);
    }
}

#[test]
fn a_stream_is_built_order_by_order() {
    let mut stream = Outbound::write(Command::EraseWrite, Wcc { alarm: true, ..Wcc::RESTORE });
    stream
        .set_buffer_address(Address(80))
        .start_field_extended(
            FieldAttribute::default().protected(true),
            [(attribute::COLOUR, 0xF2), (attribute::HIGHLIGHT, 0xF4)],
        )
        .text(&CodePage::Ibm037.encode("NAME"))
        .start_field(FieldAttribute::default())
        .insert_cursor()
        .repeat_to_address(Address(160), 0x00)
        .set_attribute(attribute::COLOUR, 0xF1)
        .graphic_escape(0xC5)
        .modify_field([(attribute::FIELD, 0x60)])
        .program_tab()
        .erase_unprotected_to_address(Address(0));
    expect![
        "F5 C7 11 C1 50 29 03 C0 60 42 F2 41 F4 D5 C1 D4 C5 1D 40 13 3C C2 60 00 28 42 F1 08 C5 2C 01 C0 60 05 12 40 40"
    ]
    .assert_eq(&hex(&stream.finish()));
}

#[test]
fn data_never_command() {
    let mut stream = Outbound::write(Command::Write, Wcc::default());
    // A packed number in a field for text: X'11' would be an address, X'1D' a field, X'01' nothing at all.
    stream.text(&[0xC1, 0x11, 0x1D, 0x01, 0x00, 0xC2]);
    assert_eq!(hex(&stream.finish()), "F1 40 C1 40 40 40 00 C2");
}

#[test]
fn orders_are_taken_apart_again() {
    fn check(stream: &str, expected: &Expect) {
        let stream = bytes(stream);
        let lines: Vec<String> = orders(&stream, 0).map(|order| format!("{order:?}")).collect();
        expected.assert_eq(&lines.join("\n"));
    }
    check(
        "11 C1 50 29 02 C0 60 42 F2 C8 C9 13 3C C2 60 08 A3",
        &expect![[r#"
            Ok(SetBufferAddress(Address(80)))
            Ok(StartFieldExtended([(192, 96), (66, 242)]))
            Ok(Text([200, 201]))
            Ok(InsertCursor)
            Ok(RepeatToAddress { stop: Address(160), character: 163, graphic: true })"#]],
    );
    check(
        "C8 29 02 C0 60 42",
        &expect![[r#"
            Ok(Text([200]))
            Err(CutShort { code: 41, offset: 1 })"#]],
    );
    check("02 C8", &expect!["Err(UnknownOrder { code: 2, offset: 0 })"]);
    assert_eq!(orders(&bytes("1D"), 0).next(), Some(Err(BadStream::CutShort { code: 0x1D, offset: 0 })));
}

#[test]
fn only_some_streams_give_the_keyboard_back() {
    for (stream, gives) in
        [("F1 C2", true), ("F1 C1", false), ("6F", true), ("F3 00 05 01 FF 02", false), ("", false)]
    {
        assert_eq!(restores_keyboard(&bytes(stream)), gives, "{stream}");
    }
}

#[test]
fn records_are_read() {
    fn check(record: &str, expected: &Expect) {
        let read = match Inbound::read(&bytes(record)) {
            Err(error) => error.to_string(),
            Ok(Inbound { aid, input }) => match input {
                Input::None => format!("{aid:?}"),
                Input::Fields { cursor, fields } => {
                    fields.iter().fold(format!("{aid:?}, cursor {}", cursor.0), |line, field| {
                        format!("{line}, {}: '{}'", field.address.0, text(&field.data))
                    })
                }
                Input::Unformatted { cursor, data } => {
                    format!("{aid:?}, cursor {}, '{}'", cursor.0, text(&data))
                }
                Input::Structured(fields) => format!("{aid:?}, {} structured", fields.len()),
            },
        };
        expected.assert_eq(&read);
    }
    check("6D", &expect!["Clear"]);
    check("6C", &expect!["Pa(1)"]);
    check("7D", &expect!["Enter"]);
    check("7D 40 40", &expect!["Enter, cursor 0"]);
    check("7D C5 C6 11 C5 C1 C8 C5 D3 D3 D6", &expect!["Enter, cursor 326, 321: 'HELLO'"]);
    check("F3 40 C5 11 40 C1 C1 11 C1 50 11 C2 60 C2", &expect!["Pf(3), cursor 5, 1: 'A', 80: '', 160: 'B'"]);
    check("7D 40 C4 C3 C5 D4 E3", &expect!["Enter, cursor 4, 'CEMT'"]);
    // Character mode: attributes are left out, even where one has the value of an address order.
    check("7D 40 40 11 40 C1 28 42 11 C1 08 11 C2", &expect!["Enter, cursor 0, 1: 'A B'"]);
    check("88 00 04 81 80 00 00 81 A6", &expect!["StructuredField, 2 structured"]);
    check("", &expect!["the record is empty"]);
    check("00", &expect!["X'00' is not an AID"]);
    check("7D 40", &expect!["the record is cut short at offset 1"]);
    check("7D 40 40 11 40", &expect!["the record is cut short at offset 3"]);
    check("7D 40 40 11 40 40 28 42", &expect!["the record is cut short at offset 6"]);
    check("88 00 09 81 80", &expect!["the structured field at offset 1 has a bad length"]);
    check("88 00 02", &expect!["the structured field at offset 1 has a bad length"]);
    check("88 00", &expect!["the record is cut short at offset 1"]);
    assert_eq!(Inbound::read(&[]), Err(BadRecord::Empty));
}

/// The capabilities of a model 2 terminal after this answer to a query.
fn queried(record: &str) -> Capabilities {
    let mut capabilities = Capabilities::unqueried(Size::MODEL_2);
    match Inbound::read(&bytes(record)).map(|inbound| inbound.input) {
        Ok(Input::Structured(fields)) => read_query_reply(&mut capabilities, &fields),
        other => panic!("{other:?} is no answer to a query"),
    }
    capabilities
}

#[test]
fn s3270_tells_what_it_can_do() {
    // Recorded: s3270 4.1, model 3279-4-E.
    let record = "88000e81808081848586878895a1a60017818101000050002b01000a02e50002006f090c0d7000088184000d7000001b8185
        8200090c000000000700100002b900250100f103c3013600268186001000f4f1f1f2f2f3f3f4f4f5f5f6f6f7f7f8f8f9f9fafafbfbfcfc
        fdfdfefeffff000f81870500f0f1f1f2f2f4f4f8f800078188000102000c81950000400040000101001281a1000000000000000006
        a7f3f2f7f0001181a600000b0100005000180050002b";
    expect![[r#"
        Capabilities {
            default_size: Size {
                rows: 24,
                columns: 80,
            },
            alternate_size: Size {
                rows: 43,
                columns: 80,
            },
            colour: true,
            highlight: true,
            outlining: false,
            validation: false,
            graphic_escape: true,
            reply_modes: true,
            character_set: Some(
                CharacterSet {
                    set: 697,
                    page: 37,
                },
            ),
            queried: true,
        }
    "#]]
    .assert_debug_eq(&queried(record));
}

#[test]
fn tnz_tells_what_it_can_do() {
    // Recorded: tnz 0.6.8 with colour and 43 rows. The implicit partition comes before the character sets.
    let record = "88000c818080818586878895a60015818101000050002b000001006000010060060c001181a600000b010000500018005000
        2b001b81858200060c000000000700000002b904170100f103c30136000f81870500f0f1f1f2f2f4f4f8f800078188000102000c819500
        007f7f7fff0101001681860008 00f4f1f1f2f2f3f3f4f4f5f5f6f6f7f7";
    let capabilities = queried(record);
    assert_eq!(capabilities.alternate_size, Size { rows: 43, columns: 80 });
    assert_eq!(capabilities.character_set, Some(CharacterSet { set: 697, page: 1047 }));
    assert!(capabilities.colour && capabilities.highlight && capabilities.graphic_escape);
}

#[test]
fn galasa_tells_what_it_can_do() {
    // Recorded: Galasa 0.41 with 43 rows. Its descriptor of a character set is longer than it need be.
    let record = "88000a81808081a68586870017818101000050001801000a02e50002006f090c0d70001181a600000b0100005000180050002b
        001681850240090c000000000900000002b90025002300168186000800f4f1f1f2f2f3f3f4f4f5f5f6f6f7f7000d81870400f0f1f1f2f2
        f4f4";
    let capabilities = queried(record);
    assert_eq!(capabilities.alternate_size, Size { rows: 43, columns: 80 });
    assert_eq!(capabilities.character_set, Some(CharacterSet { set: 697, page: 37 }));
    assert!(capabilities.colour && capabilities.highlight && !capabilities.graphic_escape);
}

#[test]
fn a_monochrome_terminal_names_colours_that_it_shows_as_none() {
    assert!(!queried("88 00 0A 81 86 00 02 00 F4 F1 00").colour);
    assert!(queried("88 00 0A 81 86 00 02 00 F4 F1 F1").colour);
}

#[test]
fn parts_that_make_no_sense_are_skipped() {
    // A partition of 0 × 0, one cut short, colours without any, a part without a code.
    let capabilities =
        queried("88 0011 81A6 0000 0B0100 0000 0000 0000 0000 0006 81A6 0000 0004 8186 0003 81");
    assert_eq!(capabilities, Capabilities { queried: true, ..Capabilities::unqueried(Size::MODEL_2) });
}

#[test]
fn a_terminals_answer_says_what_it_is() {
    let terminal = Capabilities {
        colour: true,
        highlight: true,
        outlining: true,
        validation: true,
        graphic_escape: true,
        reply_modes: true,
        character_set: Some(CharacterSet { set: 697, page: 1047 }),
        queried: true,
        ..Capabilities::unqueried(Size { rows: 62, columns: 160 })
    };
    assert_eq!(queried(&hex(&write_query_reply(&terminal))), terminal);
}
