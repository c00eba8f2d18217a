//! The form of records as bytes: a file names itself the fields that its records have.
//!
//! ```text
//! file       := "SYNCREC1" frame*
//! frame      := tag length body               all numbers are LEB128: seven bits a byte, the lowest first
//! tag        := 0 a kind of record | 1 records lost | 2 + number of the kind: a record
//! kind       := number name count column*
//! column     := form names                    form: a byte; names: fields, a blank between two
//! lost       := count
//! record     := (column value)*               the column's place in the kind; what is zero or empty is left out
//! value      := count, value:  number
//!               clock:         nanoseconds count
//!               time:          nanoseconds
//!               stamp:         microseconds since 1970
//!               text:          length bytes
//!               named:         length bytes nanoseconds count     the column may come several times
//! ```
//!
//! Several fields may take their value from one column: a READ counts as a read and as a request. A reader skips frames
//! with a tag that it does not know, and ends quietly at a frame that was cut off: a region may have been killed.

mod number;
mod read;
mod write;

pub use read::{Broken, Column, FileEntry, Kind, Reader, Record, Value};
pub use write::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn, lost};

/// The first bytes of every file.
pub const MAGIC: &[u8; 8] = b"SYNCREC1";

const TAG_KIND: u64 = 0;
const TAG_LOST: u64 = 1;
const TAG_RECORDS: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let column = |form, names: &str| LayoutColumn { form, names: names.to_owned() };
        let columns = vec![
            column(ColumnForm::Text, "TRAN"),
            column(ColumnForm::Count, "FCGETCT FCTOTCT"),
            column(ColumnForm::Count, "FCPUTCT FCTOTCT"),
            column(ColumnForm::Clock, "USRCPUT"),
            column(ColumnForm::Stamp, "START"),
            column(ColumnForm::Named, "SPNAMED"),
        ];
        Layout { kinds: vec![KindLayout { name: "performance".to_owned(), columns }] }
    }

    fn file() -> Vec<u8> {
        let mut bytes = layout().header();
        let mut record = Encoder::begin(&mut bytes, 0);
        record.text(0, b"AUTH");
        record.number(1, 2);
        record.number(2, 1);
        record.clock(3, 498_000, 1);
        record.number(4, 1_700_000_000_000_000);
        record.named(5, b"HSM", 900_000, 1);
        record.named(5, b"TIMER", 100, 2);
        record.end();
        lost(&mut bytes, 3);
        bytes
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_a_total_is_the_sum_of_its_columns() {
        let bytes = file();
        let mut reader = Reader::new(&bytes).expect("a file of ours");
        let Some(Ok(FileEntry::Record(record))) = reader.next() else { panic!("a record") };
        assert_eq!(record.kind.name, "performance");
        assert_eq!(record.text("TRAN"), "AUTH");
        assert_eq!((record.number("FCGETCT"), record.number("FCPUTCT")), (2, 1));
        assert_eq!(record.number("FCTOTCT"), 3);
        assert_eq!(record.clock("USRCPUT"), (498_000, 1));
        assert_eq!(record.number("START"), 1_700_000_000_000_000);
        let named: Vec<_> = record.named("SPNAMED").collect();
        assert_eq!(named, [("HSM".into(), 900_000, 1), ("TIMER".into(), 100, 2)]);
        assert!(matches!(reader.next(), Some(Ok(FileEntry::Lost(3)))));
        assert!(reader.next().is_none());
    }

    #[test]
    fn a_file_that_was_cut_off_gives_what_is_whole() {
        let bytes = file();
        for length in MAGIC.len()..bytes.len() {
            let entries: Vec<_> = Reader::new(&bytes[..length]).expect("ours").collect();
            assert!(entries.iter().all(Result::is_ok), "{length}");
            assert!(entries.len() <= 1);
        }
    }

    #[test]
    fn what_is_no_file_of_ours_is_refused_and_garbage_never_panics() {
        assert!(matches!(Reader::new(b"SYNCREC"), Err(Broken::NotOurs)));
        let bytes = file();
        for at in MAGIC.len()..bytes.len() {
            let mut garbled = bytes.clone();
            garbled[at] ^= 0xff;
            Reader::new(&garbled).expect("the magic stands").take(100).for_each(drop);
        }
    }
}
