//! The effect of streams and keys on a screen.

use ebcdic::CodePage;
use expect_test::{Expect, expect};
use tn3270::datastream::{
    Address, Aid, BadStream, Capabilities, Command, FieldAttribute, Outbound, Size, Visibility, Wcc,
    attribute, read_partition_query,
};
use tn3270::screen::{Keyboard, Refused, Screen};

/// A screen of five rows of ten, so that all of it can be seen; the alternate size is three rows of twenty.
fn screen() -> Screen {
    let small = Size { rows: 5, columns: 10 };
    let wide = Size { rows: 3, columns: 20 };
    let capabilities = Capabilities { default_size: small, ..Capabilities::unqueried(wide) };
    Screen::new(capabilities, CodePage::Ibm037)
}

fn erase_write() -> Outbound {
    Outbound::write(Command::EraseWrite, Wcc::RESTORE)
}

fn written(build: impl FnOnce(&mut Outbound)) -> Screen {
    let mut screen = screen();
    let mut stream = erase_write();
    build(&mut stream);
    screen.apply(&stream.finish()).expect("a good stream");
    screen
}

fn ebcdic(text: &str) -> Vec<u8> {
    CodePage::Ibm037.encode(text)
}

const PLAIN: u8 = 0x40;
const PROTECTED: u8 = 0x60;
const NUMERIC: u8 = 0x50;
const AUTOSKIP: u8 = 0xF0;

fn field(code: u8) -> FieldAttribute {
    FieldAttribute::of(code)
}

/// A form: a label, a field of three, a skipped label, a numeric field of four, and a dark one.
fn form() -> Screen {
    written(|stream| {
        stream
            .start_field(field(PROTECTED))
            .text(&ebcdic("NAME"))
            .start_field(field(PLAIN))
            .insert_cursor()
            .set_buffer_address(Address(9))
            .start_field(field(AUTOSKIP))
            .text(&ebcdic("SUM"))
            .start_field(field(NUMERIC))
            .set_buffer_address(Address(18))
            .start_field(field(PROTECTED))
            .set_buffer_address(Address(30))
            .start_field(field(PLAIN).visibility(Visibility::Dark))
            .set_buffer_address(Address(36))
            .start_field(field(PROTECTED));
    })
}

/// The rows between bars, and the cursor.
fn check(screen: &Screen, expected: &Expect) {
    let (row, column) = screen.cursor_row_column();
    let rows: Vec<String> = screen.rows().iter().map(|row| format!("|{row}|")).collect();
    expected.assert_eq(&format!("{}\ncursor {row}/{column}\n", rows.join("\n")));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_form_is_shown_and_filled_in() {
    let mut screen = form();
    screen.type_text("ANN").expect("an open field");
    check(
        &screen,
        &expect![[r#"
            | NAME ANN |
            |SUM       |
            |          |
            |          |
            |          |
            cursor 2/5
        "#]],
    );
    screen.type_text("12.5").expect("digits");
    // After a full field the cursor jumps over skipped fields, but not over those that are merely protected.
    assert_eq!(screen.cursor(), Address(19));
    screen.tab();
    screen.type_text("pw").expect("a dark field");
    check(
        &screen,
        &expect![[r#"
            | NAME ANN |
            |SUM 12.5  |
            |          |
            |          |
            |          |
            cursor 4/4
        "#]],
    );
    let record = screen.press(Aid::Enter).expect("a free keyboard");
    assert_eq!(hex(&record), "7D 40 61 11 40 C6 C1 D5 D5 11 40 4E F1 F2 4B F5 11 40 5F 97 A6");
    assert_eq!(screen.type_text("X"), Err(Refused::SystemLocked));
}

#[test]
fn fields_are_what_lies_between_attributes() {
    let screen = form();
    let fields: Vec<String> = screen
        .fields()
        .iter()
        .map(|field| format!("{} +{} '{}'", field.start.0, field.len, screen.field_text(*field).trim_end()))
        .collect();
    expect![[r#"
        0 +4 'NAME'
        5 +3 ''
        9 +3 'SUM'
        13 +4 ''
        18 +11 ''
        30 +5 ''
        36 +13 ''"#]]
    .assert_eq(&fields.join("\n"));
}

#[test]
fn a_protected_field_locks_the_keyboard_until_reset() {
    let mut screen = form();
    screen.move_cursor(Address(2));
    assert_eq!(screen.type_text("X"), Err(Refused::Protected));
    assert_eq!(screen.keyboard(), Keyboard::OperatorError(Refused::Protected));
    assert_eq!(screen.press(Aid::Enter), Err(Refused::Protected));
    screen.reset();
    screen.tab();
    assert_eq!(screen.type_text("X"), Ok(()));
}

#[test]
fn a_numeric_field_takes_digits_only() {
    let mut screen = form();
    screen.move_cursor(Address(14));
    assert_eq!(screen.type_text("1A"), Err(Refused::Numeric));
    assert_eq!(screen.cursor(), Address(15));
}

#[test]
fn tab_goes_from_field_to_field_and_around() {
    let mut screen = form();
    let mut stops = Vec::new();
    for _ in 0..4 {
        stops.push(screen.cursor().0);
        screen.tab();
    }
    assert_eq!(stops, [6, 14, 31, 6]);
    screen.move_cursor(Address(16));
    screen.back_tab();
    assert_eq!(screen.cursor(), Address(14), "first to the start of its own field");
    screen.back_tab();
    assert_eq!(screen.cursor(), Address(6));
    screen.home();
    assert_eq!(screen.cursor(), Address(6));
}

#[test]
fn insert_mode_moves_characters_into_nulls() {
    let mut screen = form();
    screen.type_text("AC").expect("an open field");
    screen.move_cursor(Address(7));
    screen.set_insert(true);
    screen.type_text("B").expect("room for one");
    assert_eq!(screen.rows()[0], " NAME ABC ");
    assert_eq!(screen.type_text("X"), Err(Refused::Overflow));
    screen.reset();
    screen.move_cursor(Address(6));
    screen.delete().expect("an open field");
    assert_eq!(screen.rows()[0], " NAME BC  ");
    screen.erase_end_of_field().expect("an open field");
    let record = screen.press(Aid::Pf(1)).expect("a free keyboard");
    assert_eq!(hex(&record), "F1 40 C6 11 40 C6", "an erased field is sent without data");
}

#[test]
fn erase_input_clears_what_the_user_may_change() {
    let mut screen = form();
    screen.type_text("ANN12").expect("open fields");
    screen.erase_input().expect("a free keyboard");
    check(
        &screen,
        &expect![[r#"
            | NAME     |
            |SUM       |
            |          |
            |          |
            |          |
            cursor 1/7
        "#]],
    );
    assert_eq!(hex(&screen.press(Aid::Enter).expect("a free keyboard")), "7D 40 C6");
}

#[test]
fn short_keys_send_themselves_alone_and_clear_clears() {
    let mut screen = form();
    screen.type_text("ANN").expect("an open field");
    assert_eq!(hex(&screen.press(Aid::Pa(2)).expect("a free keyboard")), "6E");
    assert_eq!(screen.rows()[0], " NAME ANN ");
    screen.apply(&Outbound::write(Command::Write, Wcc::RESTORE).finish()).expect("a good stream");
    assert_eq!(hex(&screen.press(Aid::Clear).expect("a free keyboard")), "6D");
    assert!(screen.fields().is_empty());
    assert_eq!(screen.cursor(), Address(0));
}

#[test]
fn without_fields_all_characters_are_sent() {
    let mut screen = written(|_| {});
    screen.type_text("CEMT I TA").expect("a free keyboard");
    assert_eq!(hex(&screen.press(Aid::Enter).expect("it too")), "7D 40 C9 C3 C5 D4 E3 40 C9 40 E3 C1");
}

#[test]
fn the_keyboard_is_the_regions_until_it_gives_it_back() {
    let mut screen = screen();
    assert_eq!(screen.keyboard(), Keyboard::SystemLocked);
    screen.apply(&Outbound::write(Command::Write, Wcc::default()).finish()).expect("a good stream");
    assert_eq!(screen.keyboard(), Keyboard::SystemLocked);
    screen.apply(&Outbound::write(Command::Write, Wcc::RESTORE).finish()).expect("a good stream");
    assert_eq!(screen.keyboard(), Keyboard::Unlocked);
}

#[test]
fn a_write_adds_and_an_erase_starts_anew() {
    let mut screen = form();
    let mut more = Outbound::write(Command::Write, Wcc { alarm: true, ..Wcc::RESTORE });
    more.set_buffer_address(Address(40)).text(&ebcdic("SAVED"));
    screen.apply(&more.finish()).expect("a good stream");
    assert_eq!(screen.text(), " NAME\nSUM\n\n\nSAVED");
    assert_eq!(screen.alarms(), 1);
    let mut wide = Outbound::write(Command::EraseWriteAlternate, Wcc::RESTORE);
    wide.text(&ebcdic("WIDE"));
    screen.apply(&wide.finish()).expect("a good stream");
    assert_eq!(screen.size(), Size { rows: 3, columns: 20 });
    assert_eq!(screen.text(), "WIDE");
}

#[test]
fn text_runs_on_from_the_last_position_to_the_first() {
    let screen = written(|stream| {
        stream.set_buffer_address(Address(48)).text(&ebcdic("WRAP"));
    });
    assert_eq!((screen.rows()[4].as_str(), screen.rows()[0].as_str()), ("        WR", "AP        "));
}

#[test]
fn repeat_to_address_fills_and_may_go_around() {
    let screen = written(|stream| {
        stream.repeat_to_address(Address(10), ebcdic("-")[0]);
        stream.set_buffer_address(Address(45)).repeat_to_address(Address(2), ebcdic("*")[0]);
    });
    assert_eq!(screen.text(), "**--------\n\n\n\n     *****");
    let full = written(|stream| {
        stream.repeat_to_address(Address(0), ebcdic("#")[0]);
    });
    assert!(full.rows().iter().all(|row| row == "##########"), "the same address is once around");
}

#[test]
fn erase_unprotected_to_address_spares_protected_fields() {
    let mut screen = form();
    screen.type_text("ANN12").expect("open fields");
    let mut stream = Outbound::write(Command::Write, Wcc::default());
    stream.set_buffer_address(Address(0)).erase_unprotected_to_address(Address(12));
    screen.apply(&stream.finish()).expect("a good stream");
    assert_eq!(screen.text(), " NAME\nSUM 12");
    screen.apply(&Outbound::bare(Command::EraseAllUnprotected)).expect("a good stream");
    assert_eq!(screen.text(), " NAME\nSUM");
    assert_eq!(screen.cursor(), Address(6));
}

#[test]
fn program_tab_goes_to_the_next_unprotected_field() {
    let screen = written(|stream| {
        stream
            .set_buffer_address(Address(10))
            .start_field(field(PROTECTED))
            .start_field(field(PLAIN))
            .set_buffer_address(Address(0))
            .program_tab()
            .text(&ebcdic("X"));
    });
    assert_eq!(screen.rows()[1], "  X       ");
}

#[test]
fn program_tab_after_text_clears_the_rest_of_the_field() {
    let mut screen = form();
    screen.type_text("ANN99").expect("open fields");
    let mut stream = Outbound::write(Command::Write, Wcc::default());
    stream.set_buffer_address(Address(6)).text(&ebcdic("B")).program_tab().text(&ebcdic("7"));
    screen.apply(&stream.finish()).expect("a good stream");
    assert_eq!(screen.text(), " NAME B\nSUM 79");
}

#[test]
fn modify_field_changes_what_is_named() {
    let mut screen = form();
    let mut stream = Outbound::write(Command::Write, Wcc::default());
    stream
        .set_buffer_address(Address(5))
        .modify_field([(attribute::COLOUR, 0xF2), (attribute::FIELD, PROTECTED)]);
    screen.apply(&stream.finish()).expect("a good stream");
    let field = screen.field_at(1, 7).expect("a field");
    assert!(field.attribute.is_protected());
    assert_eq!(field.extended.colour, 0xF2);
    let mut nowhere = Outbound::write(Command::Write, Wcc::default());
    nowhere.set_buffer_address(Address(2)).modify_field([(attribute::COLOUR, 0xF2)]);
    assert_eq!(screen.apply(&nowhere.finish()), Err(BadStream::NoField(2)));
}

#[test]
fn characters_may_have_attributes_of_their_own() {
    let screen = written(|stream| {
        stream
            .text(&ebcdic("A"))
            .set_attribute(attribute::COLOUR, 0xF1)
            .text(&ebcdic("B"))
            .set_attribute(attribute::RESET, 0)
            .text(&ebcdic("C"))
            .graphic_escape(0xC5);
    });
    let colours = [1, 2, 3].map(|column| screen.cell(1, column).extended.colour);
    assert_eq!(colours, [0, 0xF1, 0]);
    assert!(screen.cell(1, 4).graphic);
}

#[test]
fn reads_are_answered() {
    let mut screen = form();
    screen.type_text("ANN").expect("an open field");
    let answer = |screen: &mut Screen, stream: &[u8]| {
        screen.apply(stream).expect("a good stream").map(|record| hex(&record)).unwrap_or_default()
    };
    assert_eq!(answer(&mut screen, &Outbound::bare(Command::ReadModified)), "60 40 4E 11 40 C6 C1 D5 D5");
    let buffer = answer(&mut screen, &Outbound::bare(Command::ReadBuffer));
    assert!(buffer.starts_with("60 40 4E 1D 60 D5 C1 D4 C5 1D C1 C1 D5 D5 1D F0 E2 E4 D4 1D 50 00 00"));
    assert!(answer(&mut screen, &read_partition_query()).starts_with("88 00 07 81 80 80 81 A6"));
}

#[test]
fn a_stream_that_makes_no_sense_is_refused() {
    for (stream, error) in [
        (&[][..], BadStream::Empty),
        (&[0x77], BadStream::UnknownCommand(0x77)),
        (&[0xF1, 0x40, 0x11, 0x7F, 0x7F], BadStream::OutsideScreen { address: 4095, positions: 50 }),
        (&[0xF1, 0x40, 0x3C, 0x40], BadStream::CutShort { code: 0x3C, offset: 2 }),
        (&[0xF3, 0x00, 0x09, 0x01], BadStream::BadStructuredField(1)),
        (&[0xF3, 0x00, 0x04, 0x77, 0x00], BadStream::UnknownStructuredField(0x77)),
    ] {
        assert_eq!(screen().apply(stream), Err(error));
    }
}

#[test]
fn a_picture_shows_colours_highlighting_and_the_cursor() {
    let screen = written(|stream| {
        stream
            .start_field_extended(field(PROTECTED), [(attribute::COLOUR, 0xF2), (attribute::HIGHLIGHT, 0xF2)])
            .text(&ebcdic("A<B"))
            .set_buffer_address(Address(10))
            .start_field_extended(field(PLAIN), [(attribute::HIGHLIGHT, 0xF4)])
            .insert_cursor()
            .set_buffer_address(Address(14))
            .start_field(field(AUTOSKIP));
    });
    expect![[r##"
        <svg xmlns="http://www.w3.org/2000/svg" width="106" height="106" font-family="monospace" font-size="15" xml:space="preserve">
        <rect width="100%" height="100%" fill="#101418"/>
        <rect x="17" y="8" width="81" height="18" fill="#f06060"/>
        <text x="17" y="22" textLength="27" fill="#101418">A&lt;B</text>
        <rect x="17" y="42" width="27" height="1" fill="#50d050"/>
        <rect x="17" y="41" width="9" height="3" fill="#e0e0e0"/>
        </svg>
    "##]].assert_eq(&screen.picture());
}
