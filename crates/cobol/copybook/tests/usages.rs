//! Every kind of field by its bytes on z/OS: decoded, encoded, and translated both ways.

#[path = "usages/table.rs"]
mod table;

use copybook::{Choices, Converter, Layout, decode, encode, parse};
use diagnostics::{Source, any_error};
use ebcdic::CodePage;
use table::{RECORDS, Record};

fn layout(record: &Record) -> Layout {
    let parsed = parse(&Source::new(record.name, record.copybook()));
    assert!(!any_error(&parsed.messages), "{:?}", parsed.messages);
    parsed.layouts.into_iter().next().expect("a record")
}

#[test]
fn fields_have_the_values_of_their_bytes() {
    for record in &RECORDS {
        let decoded = decode(&layout(record), &Choices::new(), &record.here()).expect(record.name);
        let shown: Vec<(&str, &str)> = decoded.iter().map(|(path, value)| (&**path, &**value)).collect();
        let expected: Vec<(&str, &str)> = record.fields().map(|piece| (piece.path, piece.value)).collect();
        assert_eq!(shown, expected, "{}", record.name);
    }
}

#[test]
fn values_become_these_bytes() {
    for record in &RECORDS {
        let values = record.fields().map(|piece| (piece.path, piece.value));
        let encoded = encode(&layout(record), &Choices::new(), values).expect(record.name);
        assert_eq!(encoded, record.here(), "{}", record.name);
    }
}

#[test]
fn records_of_zos_are_translated_and_back() {
    for record in &RECORDS {
        let layout = layout(record);
        let converter = Converter::new(&layout, CodePage::Ibm037);
        assert_eq!(converter.to_program(&record.zos()), Ok(record.here()), "{}", record.name);
        assert_eq!(converter.from_program(&record.here()), Ok(record.zos()), "{}", record.name);
    }
}
