//! SEND TEXT and SEND CONTROL.

mod common;

use bms::{
    Control, ControlOptions, Erase, Heading, SendError, TextJustify, TextOptions, send_control, send_text,
};
use common::screen::{Emulator, MODEL_2, terminal};
use expect_test::{Expect, expect};
use tn3270::datastream::Size;

const SMALL: Size = Size::new(6, 21);

fn erase() -> TextOptions<'static> {
    TextOptions { erase: Erase::Whole, ..TextOptions::default() }
}

/// The pages of a text on a small screen, each with the cursor's place.
fn check(text: &str, options: TextOptions, expected: Expect) {
    let pages = send_text(text.as_bytes(), &options, &terminal(SMALL)).expect("sent");
    let shown: Vec<String> = pages
        .iter()
        .map(|page| {
            let mut screen = Emulator::new(SMALL);
            screen.write(page);
            format!("{}cursor {:?}\n", screen.picture(), screen.cursor())
        })
        .collect();
    expected.assert_eq(&shown.join("----\n"));
}

#[test]
fn words_are_not_broken_across_lines() {
    check(
        "The account was closed on the first of May",
        erase(),
        expect![[r#"
            | The account was
            | closed on the first
            | of May
            cursor (3, 8)
        "#]],
    );
}

#[test]
fn a_blank_without_room_is_dropped_and_others_are_kept() {
    check(
        "12345678901234567890 next\n 1234567890  1234567890",
        erase(),
        expect![[r#"
            | 12345678901234567890
            | next
            |  1234567890
            | 1234567890
            cursor (4, 12)
        "#]],
    );
}

#[test]
fn a_word_longer_than_a_line_is_broken_at_the_edge() {
    check(
        "see abcdefghijklmnopqrstuvwxyz!",
        erase(),
        expect![[r#"
            | see
            | abcdefghijklmnopqrst
            | uvwxyz!
            cursor (3, 9)
        "#]],
    );
}

#[test]
fn new_lines_end_lines() {
    check(
        "one\n\nthree\u{15}four",
        erase(),
        expect![[r#"
            | one
            |
            | three
            | four
            cursor (4, 6)
        "#]],
    );
}

#[test]
fn no_text_is_an_empty_screen() {
    check(
        "",
        erase(),
        expect![[r#"

            cursor (1, 2)
        "#]],
    );
}

#[test]
fn text_beyond_the_screen_goes_on_in_the_next_data_stream() {
    let header = Heading { text: b"List, page ##", page_mark: Some(b'#') };
    let trailer = Heading { text: b"more...", page_mark: None };
    let options = TextOptions { header: Some(header), trailer: Some(trailer), ..erase() };
    check(
        "a\nb\nc\nd\ne\nf",
        options,
        expect![[r#"
            | List, page  1
            | a
            | b
            | c
            | d
            | more...
            cursor (5, 3)
            ----
            | List, page  2
            | e
            | f
            |
            |
            | more...
            cursor (3, 3)
        "#]],
    );
}

#[test]
fn text_starts_where_justify_says() {
    check(
        "third",
        TextOptions { justify: TextJustify::Line(3), ..erase() },
        expect![[r#"
            |
            |
            | third
            cursor (3, 7)
        "#]],
    );
    check(
        "second last\nlast",
        TextOptions { justify: TextJustify::Last, ..erase() },
        expect![[r#"
            |
            |
            |
            |
            | second last
            | last
            cursor (6, 6)
        "#]],
    );
}

#[test]
fn without_erase_blanks_cover_the_lines_that_are_written() {
    let mut screen = Emulator::new(MODEL_2);
    let terminal = terminal(MODEL_2);
    for (text, options) in [("a long first line\nanother", erase()), ("short", TextOptions::default())] {
        for page in send_text(text.as_bytes(), &options, &terminal).expect("sent") {
            screen.write(&page);
        }
    }
    expect![[r#"
        | short
        | another
    "#]]
    .assert_eq(&screen.picture());
}

#[test]
fn headings_need_room() {
    let heading = Heading { text: b"1\n2\n3", page_mark: None };
    let options = TextOptions { header: Some(heading), trailer: Some(heading), ..erase() };
    assert_eq!(send_text(b"x", &options, &terminal(SMALL)), Err(SendError::NoRoomForText));
}

#[test]
fn a_heading_is_read_from_its_area() {
    assert_eq!(
        Heading::from_area(b"\x00\x03# abcdef"),
        Some(Heading { text: b"abc", page_mark: Some(b'#') })
    );
    assert_eq!(Heading::from_area(b"\x00\x03  abc").and_then(|heading| heading.page_mark), None);
    assert_eq!(Heading::from_area(b"\x00\x09# abc"), None);
    assert_eq!(Heading::from_area(b"\x00"), None);
}

#[test]
fn send_control_writes_controls_and_cursor_only() {
    let terminal = terminal(MODEL_2);
    let freekb = Control { freekb: true, ..Control::default() };
    let alarm = Control { alarm: true, ..freekb };
    let table = [
        (Erase::Whole, freekb, None, &[0xF5, 0xC2][..]),
        (Erase::Alternate, freekb, None, &[0x7E, 0xC2]),
        (Erase::No, alarm, Some(80), &[0xF1, 0xC6, 0x11, 0xC1, 0x50, 0x13]),
        (Erase::Unprotected, freekb, None, &[0x6F]),
        (Erase::Unprotected, alarm, None, &[0xF1, 0xC7, 0x11, 0x40, 0x40, 0x12, 0x40, 0x40]),
    ];
    for (erase, control, cursor, expected) in table {
        let options = ControlOptions { erase, control, cursor };
        assert_eq!(send_control(&options, &terminal).as_deref(), Ok(expected), "{options:?}");
    }
}
