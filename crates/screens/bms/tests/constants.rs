//! Attribute constants: a program holds those of DFHBMSCA as characters, or numbers, and a terminal gets them as
//! published.

mod common;

use bms::{Content, Erase, Map, MapOptions, send_map};
use common::screen::{CODE_PAGE, MODEL_2, terminal};
use common::{Record, mapset};

/// Constants of DFHBMSCA whose names start so are field attributes.
const FIELD_ATTRIBUTES: [&str; 7] =
    ["DFHBMAS", "DFHBMUN", "DFHBMPR", "DFHBMBRY", "DFHBMDAR", "DFHBMFSE", "DFHUNN"];
const COLOURS: [&str; 7] = ["DFHBLUE", "DFHRED", "DFHPINK", "DFHGREEN", "DFHTURQ", "DFHYELLO", "DFHNEUTR"];
const HIGHLIGHTS: [&str; 3] = ["DFHBLINK", "DFHREVRS", "DFHUNDLN"];
const VALIDATIONS: [&str; 7] = ["DFHMFIL", "DFHMENT", "DFHMFE", "DFHMT", "DFHMFT", "DFHMET", "DFHMFET"];

fn map() -> Map {
    let source = "\
SET      DFHMSD TYPE=MAP,MODE=INOUT,DSATTS=(COLOR,HILIGHT,VALIDN)
MAP      DFHMDI SIZE=(24,80)
FIELD    DFHMDF POS=(1,1),LENGTH=1
         DFHMSD TYPE=FINAL
";
    mapset(source).maps.remove(0)
}

/// The constants of DFHBMSCA that are chosen, with their EBCDIC values.
fn constants(chosen: impl Fn(&str) -> bool) -> Vec<(&'static str, u8)> {
    let rows = spec::tables::BMSCA.lines().skip(1).filter_map(|row| row.split_once('\t'));
    let value = |rest: &str| u8::from_str_radix(rest.split('\t').next()?, 16).ok();
    rows.filter(|(name, _)| chosen(name)).filter_map(|(name, rest)| Some((name, value(rest)?))).collect()
}

/// A constant as a program holds it: the character of that value, unless the value is a small number.
fn held(ebcdic: u8) -> u8 {
    if ebcdic < 0x10 { ebcdic } else { CODE_PAGE.to_program_table()[usize::from(ebcdic)] }
}

/// The last byte sent for a constant in an item.
fn sent(item: &str, ebcdic: u8, content: Content) -> Option<u8> {
    let map = map();
    let record = Record::of(&map).set(item, &[held(ebcdic)]);
    let options = MapOptions { erase: Erase::Whole, content, ..MapOptions::default() };
    send_map(&map, &options, Some(&record.bytes), &terminal(MODEL_2)).expect("sent").last().copied()
}

#[test]
fn field_attributes_arrive_as_published() {
    let constants = constants(|name| FIELD_ATTRIBUTES.iter().any(|start| name.starts_with(start)));
    assert!(constants.len() >= 12, "{constants:?}");
    for (name, value) in constants {
        assert_eq!(sent("FIELDA", value, Content::Both), Some(value), "{name}");
    }
}

#[test]
fn extended_attributes_arrive_as_published() {
    for (item, names) in [("FIELDC", &COLOURS[..]), ("FIELDH", &HIGHLIGHTS), ("FIELDV", &VALIDATIONS)] {
        let constants = constants(|name| names.contains(&name));
        assert_eq!(constants.len(), names.len());
        for (name, value) in constants {
            assert_eq!(sent(item, value, Content::Both), Some(value), "{name}");
            assert_eq!(sent(item, value, Content::DataOnly), Some(value), "{name}");
        }
    }
}
