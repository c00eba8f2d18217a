//! SEND MAP: a map and a record become a screen.

mod common;

use bms::{Content, Control, Cursor, Display, Erase, Map, MapOptions, Screen, SendError, send_map};
use common::screen::{Emulator, MODEL_2, monochrome, terminal};
use common::{Record, mapset};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use tn3270::datastream::Size;

/// An account enquiry: constants, a field to key, fields to show, a stopper.
const ENQUIRY: &str = "\
ENQSET   DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,STORAGE=AUTO,\\
               TIOAPFX=YES,CTRL=(FREEKB,ALARM),EXTATT=YES
ENQMAP   DFHMDI SIZE=(24,80)
         DFHMDF POS=(1,30),LENGTH=15,ATTRB=(ASKIP,BRT),COLOR=NEUTRAL,\\
               INITIAL='ACCOUNT ENQUIRY'
         DFHMDF POS=(3,1),LENGTH=8,INITIAL='Account:'
ACCT     DFHMDF POS=(3,10),LENGTH=6,ATTRB=(UNPROT,NUM,IC),\\
               HILIGHT=UNDERLINE
         DFHMDF POS=(3,17),LENGTH=0
NAME     DFHMDF POS=(4,10),LENGTH=20,ATTRB=(PROT,FSET),COLOR=GREEN
PIN      DFHMDF POS=(5,10),LENGTH=4,ATTRB=(UNPROT,DRK)
MSG      DFHMDF POS=(24,1),LENGTH=79,ATTRB=(ASKIP,BRT),COLOR=RED,\\
               INITIAL='Key an account number'
         DFHMSD TYPE=FINAL
         END
";

fn enquiry() -> Map {
    mapset(ENQUIRY).maps.remove(0)
}

#[test]
fn a_field_without_a_length_is_a_stopper() {
    let shorter = ENQUIRY.replace("POS=(3,17),LENGTH=0", "POS=(3,17)");
    assert_eq!(mapset(&shorter).maps, mapset(ENQUIRY).maps);
}

/// SEND MAP ERASE, and so on.
fn options(erase: Erase, content: Content, cursor: Cursor) -> MapOptions {
    MapOptions { erase, content, cursor, ..MapOptions::default() }
}

fn erase() -> MapOptions {
    options(Erase::Whole, Content::Both, Cursor::AsMap)
}

fn data_only() -> MapOptions {
    options(Erase::No, Content::DataOnly, Cursor::AsMap)
}

/// A screen to which a record was sent.
fn sent(map: &Map, options: MapOptions, record: Option<&Record>, terminal: &Display) -> Emulator {
    let mut screen = Emulator::new(MODEL_2);
    send(&mut screen, map, options, record, terminal);
    screen
}

fn send(screen: &mut Emulator, map: &Map, options: MapOptions, record: Option<&Record>, terminal: &Display) {
    let record = record.map(|record| record.bytes.as_slice());
    screen.write(&send_map(map, &options, record, terminal).expect("sent"));
}

fn check_fields(screen: &Emulator, expected: Expect) {
    expected.assert_eq(&screen.fields());
}

#[test]
fn the_map_alone_shows_its_constants_and_initial_values() {
    let screen = sent(&enquiry(), erase(), None, &terminal(MODEL_2));
    expect![[r#"
        |                              ACCOUNT ENQUIRY
        |
        | Account:
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        | Key an account number
    "#]]
    .assert_eq(&screen.picture());
    assert_eq!(screen.cursor(), (3, 11), "the cursor is where IC says");
    assert!(screen.alarm && screen.unlocked, "CTRL of the map holds where the command has no controls");
}

#[test]
fn each_field_starts_with_its_attributes() {
    check_fields(
        &sent(&enquiry(), erase(), None, &terminal(MODEL_2)),
        expect![[r#"
        (1,30) askip brt 42=F7 'ACCOUNT ENQUIRY'
        (3,1) askip 'Account:'
        (3,10) num 41=F4 ''
        (3,17) askip ''
        (4,10) prot mdt 42=F4 ''
        (5,10) unprot drk ''
        (24,1) askip brt 42=F2 'Key an account number'
    "#]],
    );
}

#[test]
fn a_terminal_without_extended_attributes_gets_none() {
    check_fields(
        &sent(&enquiry(), erase(), None, &monochrome(MODEL_2)),
        expect![[r#"
        (1,30) askip brt 'ACCOUNT ENQUIRY'
        (3,1) askip 'Account:'
        (3,10) num ''
        (3,17) askip ''
        (4,10) prot mdt ''
        (5,10) unprot drk ''
        (24,1) askip brt 'Key an account number'
    "#]],
    );
}

#[test]
fn what_the_program_gives_wins_over_the_map() {
    let map = enquiry();
    let record = Record::of(&map)
        .set("ACCTO", b"000123")
        .set("ACCTA", b"1") // DFHBMASF: X'F1' on the terminal, the character 1 in the program
        .set("NAMEO", b"Immanuel Kessler")
        .set("NAMEC", b"6") // DFHYELLO
        .set("MSGH", b"2"); // DFHREVRS
    let screen = sent(&map, erase(), Some(&record), &terminal(MODEL_2));
    expect![[r#"
        |                              ACCOUNT ENQUIRY
        |
        | Account: 000123
        |          Immanuel Kessler
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        |
        | Key an account number
    "#]]
    .assert_eq(&screen.picture());
    check_fields(
        &screen,
        expect![[r#"
        (1,30) askip brt 42=F7 'ACCOUNT ENQUIRY'
        (3,1) askip 'Account:'
        (3,10) askip mdt 41=F4 '000123'
        (3,17) askip ''
        (4,10) prot mdt 42=F6 'Immanuel Kessler'
        (5,10) unprot drk ''
        (24,1) askip brt 42=F2 41=F2 'Key an account number'
    "#]],
    );
}

#[test]
fn high_values_take_an_extended_attribute_of_the_map_away() {
    let map = enquiry();
    let record = Record::of(&map).set("NAMEC", &[0xFF]).set("MSGC", &[0xFF]);
    let screen = sent(&map, erase(), Some(&record), &terminal(MODEL_2));
    let fields = screen.fields();
    assert!(fields.contains("(4,10) prot mdt ''\n"), "{fields}");
    assert!(fields.contains("(24,1) askip brt 'Key an account number'\n"), "{fields}");
}

#[test]
fn a_value_that_no_terminal_accepts_is_not_sent() {
    let map = enquiry();
    let record = Record::of(&map).set("NAMEC", b"R");
    let fields = sent(&map, erase(), Some(&record), &terminal(MODEL_2)).fields();
    assert!(fields.contains("(4,10) prot mdt ''\n"), "{fields}");
}

#[test]
fn data_only_changes_what_the_program_gives_and_nothing_else() {
    let map = enquiry();
    let terminal = terminal(MODEL_2);
    let first = Record::of(&map).set("NAMEO", b"Immanuel Kessler").set("ACCTO", b"000123");
    let mut screen = sent(&map, erase(), Some(&first), &terminal);
    let second = Record::of(&map)
        .set("NAMEA", b"Y")
        .set("MSGO", b"Not found")
        .set("ACCTC", b"2")
        .set("NAMEC", &[0xFF]);
    send(&mut screen, &map, data_only(), Some(&second), &terminal);
    check_fields(
        &screen,
        expect![[r#"
        (1,30) askip brt 42=F7 'ACCOUNT ENQUIRY'
        (3,1) askip 'Account:'
        (3,10) num 41=F4 42=F2 '000123'
        (3,17) askip ''
        (4,10) prot brt 'Immanuel Kessler'
        (5,10) unprot drk ''
        (24,1) askip brt 42=F2 'Not found'
    "#]],
    );
    assert_eq!(screen.cursor(), (3, 11), "the cursor stays");
}

#[test]
fn data_only_sends_a_monochrome_terminal_the_plain_attribute() {
    let map = enquiry();
    let terminal = monochrome(MODEL_2);
    let mut screen = sent(&map, erase(), None, &terminal);
    send(
        &mut screen,
        &map,
        data_only(),
        Some(&Record::of(&map).set("NAMEA", b"Y").set("NAMEC", b"2")),
        &terminal,
    );
    let fields = screen.fields();
    assert!(fields.contains("(4,10) prot brt ''\n"), "{fields}");
}

#[test]
fn without_erase_low_values_leave_what_a_field_shows() {
    let map = enquiry();
    let terminal = terminal(MODEL_2);
    let mut screen =
        sent(&map, erase(), Some(&Record::of(&map).set("NAMEO", b"Immanuel Kessler")), &terminal);
    send(
        &mut screen,
        &map,
        options(Erase::No, Content::Both, Cursor::AsMap),
        Some(&Record::of(&map)),
        &terminal,
    );
    assert!(screen.picture().contains("Immanuel Kessler"));
}

#[test]
fn erase_unprotected_clears_what_was_keyed_and_its_tags() {
    let map = enquiry();
    let terminal = terminal(MODEL_2);
    let first = Record::of(&map).set("NAMEO", b"Immanuel Kessler").set("ACCTO", b"000123");
    let mut screen = sent(&map, erase(), Some(&first), &terminal);
    let options = MapOptions { erase: Erase::Unprotected, ..data_only() };
    send(&mut screen, &map, options, Some(&Record::of(&map).set("MSGO", b"Next")), &terminal);
    check_fields(
        &screen,
        expect![[r#"
        (1,30) askip brt 42=F7 'ACCOUNT ENQUIRY'
        (3,1) askip 'Account:'
        (3,10) num 41=F4 ''
        (3,17) askip ''
        (4,10) prot 42=F4 'Immanuel Kessler'
        (5,10) unprot drk ''
        (24,1) askip brt 42=F2 'Next'
    "#]],
    );
}

#[test]
fn the_cursor_goes_where_the_command_says() {
    let map = enquiry();
    let record = Record::of(&map).cursor("PINL").cursor("MSGL");
    let check = |cursor, expected| {
        let screen =
            sent(&map, options(Erase::Whole, Content::Both, cursor), Some(&record), &terminal(MODEL_2));
        assert_eq!(screen.cursor(), expected, "{cursor:?}");
    };
    check(Cursor::AsMap, (3, 11));
    check(Cursor::At(163), (3, 4));
    check(Cursor::Symbolic, (5, 11));
}

#[test]
fn symbolic_cursor_without_a_marked_field_is_as_the_map_says() {
    let map = enquiry();
    let options = options(Erase::Whole, Content::Both, Cursor::Symbolic);
    let screen = sent(&map, options, Some(&Record::of(&map)), &terminal(MODEL_2));
    assert_eq!(screen.cursor(), (3, 11));
}

#[test]
fn controls_of_the_command_replace_all_those_of_the_map() {
    let map = enquiry();
    let control = Control { freekb: true, frset: true, ..Control::default() };
    let stream = send_map(&map, &MapOptions { control, ..erase() }, None, &terminal(MODEL_2)).expect("sent");
    assert_eq!(stream[..2], [0xF5, 0xC3]);
}

#[test]
fn a_record_that_is_too_short_counts_as_filled_up_with_low_values() {
    let map = enquiry();
    let mut record = Record::of(&map).set("NAMEO", b"Immanuel Kessler").set("MSGO", b"not sent");
    for length in (0..record.bytes.len()).rev() {
        record.bytes.truncate(length);
        sent(&map, erase(), Some(&record), &terminal(MODEL_2));
    }
    let screen = sent(&map, erase(), Some(&record), &terminal(MODEL_2));
    assert!(screen.picture().contains("Key an account number"));
}

#[test]
fn characters_that_a_terminal_would_take_for_orders_become_blanks() {
    let map = enquiry();
    let record = Record::of(&map).set("NAMEO", &[b'A', 0x11, 0x05, b'B', 0x00, b'C']);
    let stream = send_map(&map, &data_only(), Some(&record.bytes), &terminal(MODEL_2)).expect("sent");
    assert_eq!(stream[5..11], [0xC1, 0x40, 0x40, 0xC2, 0x00, 0xC3]);
}

#[test]
fn large_screens_have_other_addresses() {
    let map = mapset(
        "\
BIG      DFHMSD TYPE=MAP,MODE=OUT
LAST     DFHMDI SIZE=(62,160)
         DFHMDF POS=(62,150),INITIAL='the end'
         DFHMSD TYPE=FINAL
",
    )
    .maps
    .remove(0);
    let check = |alternate: Size, expected: Result<&[u8], ()>| {
        let screen = Screen { default: MODEL_2, alternate, alternate_in_use: false };
        let terminal = Display { screen, ..monochrome(MODEL_2) };
        let options = MapOptions { erase: Erase::Alternate, ..MapOptions::default() };
        let stream = send_map(&map, &options, None, &terminal);
        assert_eq!(stream.as_deref().map(|stream| &stream[..5]).map_err(|_| ()), expected);
        if let Ok(stream) = stream {
            let mut emulator = Emulator::of(MODEL_2, alternate);
            emulator.write(&stream);
            assert!(emulator.fields().starts_with("(62,150) askip 'the end'"), "{}", emulator.fields());
        }
    };
    check(Size::new(62, 160), Ok(&[0x7E, 0x40, 0x11, 0x26, 0xB5]));
    check(Size::new(27, 132), Err(()));
}

#[test]
fn a_map_in_the_middle_of_a_wider_screen_stands_where_line_and_column_say() {
    let map = mapset(
        "\
BOX      DFHMSD TYPE=MAP,MODE=OUT
BOX      DFHMDI SIZE=(2,12),LINE=3,COLUMN=21
         DFHMDF POS=(1,1),INITIAL='top left'
         DFHMDF POS=(2,3),INITIAL='below it'
         DFHMSD TYPE=FINAL
",
    )
    .maps
    .remove(0);
    let wide = Size::new(27, 132);
    let mut screen = Emulator::new(wide);
    send(&mut screen, &map, erase(), None, &terminal(wide));
    expect![[r#"
        |
        |
        |                     top left
        |                       below it
    "#]]
    .assert_eq(&screen.picture());
}

#[test]
fn what_cannot_be_sent_is_an_error() {
    let map = enquiry();
    let small = Size::new(12, 40);
    assert_eq!(
        send_map(&map, &erase(), None, &terminal(small)),
        Err(SendError::MapTooLarge { map: "ENQMAP".into(), screen: small })
    );
    let outside = options(Erase::Whole, Content::Both, Cursor::At(1920));
    assert_eq!(
        send_map(&map, &outside, None, &terminal(MODEL_2)),
        Err(SendError::CursorOutside { position: 1920 })
    );
    let input = Map { mode: bms::Mode::In, ..map };
    assert_eq!(
        send_map(&input, &erase(), Some(&[]), &terminal(MODEL_2)),
        Err(SendError::InputOnly { map: "ENQMAP".into() })
    );
    assert!(send_map(&input, &erase(), None, &terminal(MODEL_2)).is_ok(), "MAPONLY sends a map for input");
}

#[test]
fn arrays_and_groups_take_one_item_of_the_record_for_each_piece() {
    let map = mapset(
        "\
LISTS    DFHMSD TYPE=MAP,MODE=INOUT,TIOAPFX=YES
LIST     DFHMDI SIZE=(24,80)
NUMBER   DFHMDF POS=(2,1),LENGTH=9,OCCURS=3,ATTRB=NORM
MONTH    DFHMDF POS=(4,1),LENGTH=2,ATTRB=BRT,GRPNAME=DATE
SEP1     DFHMDF POS=(4,3),LENGTH=1,GRPNAME=DATE,INITIAL='-'
DAY      DFHMDF POS=(4,4),LENGTH=2,GRPNAME=DATE
         DFHMSD TYPE=FINAL
",
    )
    .maps
    .remove(0);
    let record =
        Record::of(&map).set("NUMBERO", b"555-0001").set("NUMBERO(3)", b"555-0003").set("NUMBERA(3)", b"8");
    let record = record.set("MONTHO", b"03").set("DAYO", b"17");
    let screen = sent(&map, erase(), Some(&record), &terminal(MODEL_2));
    check_fields(
        &screen,
        expect![[r#"
        (2,1) unprot '555-0001'
        (2,11) unprot ''
        (2,21) askip brt '555-0003'
        (4,1) unprot brt '03-17'
    "#]],
    );
}

proptest! {
    /// The screen checks every address and attribute character that it is given.
    #[test]
    fn whatever_a_record_holds_the_data_stream_is_well_formed(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        data_only: bool,
        colour: bool,
    ) {
        let map = enquiry();
        let content = if data_only { Content::DataOnly } else { Content::Both };
        let terminal = if colour { terminal(MODEL_2) } else { monochrome(MODEL_2) };
        let mut screen = sent(&map, erase(), None, &terminal);
        let options = options(Erase::No, content, Cursor::Symbolic);
        screen.write(&send_map(&map, &options, Some(&bytes), &terminal).expect("sent"));
        prop_assert!(screen.picture().contains("ACCOUNT ENQUIRY"));
    }
}
