//! RECEIVE MAP: the operator's input becomes a record.

mod common;

use bms::{Content, Cursor, Erase, Map, MapOptions, ReceiveError, receive_map, send_map};
use common::screen::{CODE_PAGE, ENTER, Emulator, MODEL_2, inbound, terminal};
use common::{Record, mapset};
use tn3270::datastream::{Aid, Inbound};

const CLEAR: Aid = Aid::Clear;
const PA1: Aid = Aid::Pa(1);

const ORDER: &str = "\
ORDSET   DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,TIOAPFX=YES
ORDMAP   DFHMDI SIZE=(24,80)
         DFHMDF POS=(1,1),LENGTH=6,INITIAL='Order:'
ITEM     DFHMDF POS=(2,1),LENGTH=8,ATTRB=(UNPROT,IC)
COUNT    DFHMDF POS=(2,11),LENGTH=5,ATTRB=(UNPROT,NUM)
PRICE    DFHMDF POS=(2,21),LENGTH=6,ATTRB=UNPROT,JUSTIFY=RIGHT
RIGHT    DFHMDF POS=(2,31),LENGTH=6,ATTRB=UNPROT,JUSTIFY=(RIGHT,BLANK)
         DFHMDF POS=(2,41),LENGTH=0
NOTE     DFHMDF POS=(3,1),LENGTH=20,ATTRB=UNPROT,CASE=MIXED
         DFHMDF POS=(3,22),LENGTH=0
KEEP     DFHMDF POS=(4,1),LENGTH=4,ATTRB=(PROT,FSET),INITIAL='kept'
         DFHMSD TYPE=FINAL
";

fn order() -> Map {
    mapset(ORDER).maps.remove(0)
}

/// A screen that shows a map.
fn shown(map: &Map) -> Emulator {
    let mut screen = Emulator::new(MODEL_2);
    let options = MapOptions { erase: Erase::Whole, ..MapOptions::default() };
    screen.write(&send_map(map, &options, None, &terminal(MODEL_2)).expect("sent"));
    screen
}

fn receive<'m>(map: &'m Map, inbound: &Inbound) -> Result<Record<'m>, ReceiveError> {
    let bytes = receive_map(map, inbound, MODEL_2, CODE_PAGE, true)?;
    Ok(Record { map, bytes })
}

#[test]
fn data_is_placed_as_justify_and_num_say() {
    let map = order();
    let mut screen = shown(&map);
    for (column, text) in [(2, "bolt"), (12, "42"), (22, "9.95"), (32, "abc")] {
        screen.key(2, column, text);
    }
    let record = receive(&map, &screen.press(ENTER)).expect("received");
    let table = [
        ("ITEM", 4u16, "BOLT    "),
        ("COUNT", 2, "00042"),
        ("PRICE", 4, "009.95"),
        ("RIGHT", 3, "   ABC"),
        ("NOTE", 0, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("KEEP", 4, "KEPT"),
    ];
    for (name, length, text) in table {
        assert_eq!(record.get(&format!("{name}L")), length.to_be_bytes(), "{name}L");
        assert_eq!(record.get(&format!("{name}F")), [0], "{name}F");
        assert_eq!(String::from_utf8_lossy(record.get(&format!("{name}I"))), text, "{name}I");
    }
}

#[test]
fn upper_case_translation_spares_mixed_fields_and_is_the_terminals_choice() {
    let map = order();
    let mut screen = shown(&map);
    screen.key(2, 2, "bolt");
    screen.key(3, 2, "by Friday");
    let inbound = screen.press(ENTER);
    let record = receive(&map, &inbound).expect("received");
    assert_eq!(record.get("NOTEI"), b"by Friday           ");
    let bytes = receive_map(&map, &inbound, MODEL_2, CODE_PAGE, false).expect("received");
    assert_eq!(Record { map: &map, bytes }.get("ITEMI"), b"bolt    ");
}

#[test]
fn an_erased_field_has_length_0_and_its_flag() {
    let map = order();
    let mut screen = shown(&map);
    screen.erase_to_end_of_field(2, 2);
    let record = receive(&map, &screen.press(ENTER)).expect("received");
    assert_eq!(record.get("ITEML"), [0, 0]);
    assert_eq!(record.get("ITEMF"), [0x80]);
    assert_eq!(record.get("ITEMI"), [0; 8]);
}

#[test]
fn more_than_fits_is_cut() {
    let map = order();
    let input = inbound(ENTER, 0, vec![(81, [0xC1; 12].to_vec())]);
    let record = receive(&map, &input).expect("received");
    assert_eq!(record.get("ITEML"), [0, 8]);
    assert_eq!(record.get("ITEMI"), b"AAAAAAAA");
}

#[test]
fn without_data_there_is_nothing_to_map() {
    let map = order();
    let fails = |aid, fields| {
        let input = inbound(aid, 81, fields);
        assert_eq!(receive(&map, &input).map(|_| ()), Err(ReceiveError::MapFail { map: "ORDMAP".into() }));
    };
    fails(CLEAR, vec![]);
    fails(PA1, vec![(81, vec![0xC1])]);
    fails(ENTER, vec![]);
    fails(ENTER, vec![(500, vec![0xC1])]);
}

#[test]
fn with_cursloc_the_cursors_field_is_flagged_and_counts_as_received() {
    let map = Map { cursor_flagged: true, ..order() };
    let record = receive(&map, &inbound(ENTER, 82, vec![])).expect("received");
    assert_eq!(record.get("ITEMF"), [0x02]);
    let erased = inbound(ENTER, 81, vec![(81, vec![])]);
    assert_eq!(receive(&map, &erased).expect("received").get("ITEMF"), [0x82]);
    let outside = inbound(ENTER, 0, vec![]);
    assert!(receive(&map, &outside).is_err());
}

#[test]
fn a_map_for_output_is_not_received() {
    let map = Map { mode: bms::Mode::Out, ..order() };
    let input = inbound(ENTER, 0, vec![(81, vec![0xC1])]);
    assert_eq!(receive(&map, &input).map(|_| ()), Err(ReceiveError::OutputOnly { map: "ORDMAP".into() }));
}

#[test]
fn a_group_comes_in_as_one_field_and_is_divided() {
    let map = mapset(
        "\
DATES    DFHMSD TYPE=MAP,MODE=INOUT
DATES    DFHMDI SIZE=(24,80)
MONTH    DFHMDF POS=(4,1),LENGTH=2,ATTRB=UNPROT,GRPNAME=DATE
SEP      DFHMDF POS=(4,3),LENGTH=1,GRPNAME=DATE,INITIAL='-'
DAY      DFHMDF POS=(4,4),LENGTH=2,GRPNAME=DATE
         DFHMDF POS=(4,7),LENGTH=0
LINE     DFHMDF POS=(5,1),LENGTH=3,ATTRB=UNPROT,OCCURS=2
         DFHMSD TYPE=FINAL
",
    )
    .maps
    .remove(0);
    let mut screen = shown(&map);
    screen.key(4, 2, "03");
    screen.key(4, 5, "17");
    screen.key(5, 6, "two");
    let record = receive(&map, &screen.press(ENTER)).expect("received");
    assert_eq!(record.get("MONTHL"), [0, 5]);
    assert_eq!([record.get("MONTHI"), record.get("SEPI"), record.get("DAYI")], [&b"03"[..], b"-", b"17"]);
    assert_eq!(record.get("LINEL(1)"), [0, 0]);
    assert_eq!(record.get("LINEI(2)"), b"TWO");
}

#[test]
fn a_record_sent_with_modified_data_tags_comes_back() {
    let map = order();
    let mut screen = shown(&map);
    // DFHBMFSE: unprotected, modified data tag on.
    let record = Record::of(&map).set("ITEMO", b"NUT").set("ITEMA", b"A");
    let options =
        MapOptions { content: Content::DataOnly, cursor: Cursor::Symbolic, ..MapOptions::default() };
    screen.write(&send_map(&map, &options, Some(&record.bytes), &terminal(MODEL_2)).expect("sent"));
    let record = receive(&map, &screen.press(ENTER)).expect("received");
    assert_eq!(record.get("ITEMI"), b"NUT     ");
}
