//! The bytes that monitoring has written, by class of records, and for each task.

use crate::format::{Broken, FileEntry, Reader};
use crate::performance::lost_note;
use crate::table::{Cell, Table};

/// Bytes and records by class.
#[derive(Default)]
pub struct Written {
    /// Class, records, bytes.
    classes: Vec<(String, u64, u64)>,
    /// Tasks that have ended: performance records of type T, or identity records where there are none.
    ended: u64,
    identities: u64,
    lost: u64,
}

impl Written {
    /// Adds the records of a file.
    ///
    /// # Errors
    /// The place where the file is broken; the records before it count.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            let record = match entry? {
                FileEntry::Lost(count) => {
                    self.lost += count;
                    continue;
                }
                FileEntry::Record(record) => record,
            };
            self.ended += u64::from(record.kind.name == "performance" && record.text("RTYPE") == "T");
            self.identities += u64::from(record.kind.name == "identity");
            let length = record.length as u64;
            match self.classes.iter_mut().find(|(class, ..)| *class == record.kind.name) {
                Some((_, records, bytes)) => (*records, *bytes) = (*records + 1, *bytes + length),
                None => self.classes.push((record.kind.name.clone(), 1, length)),
            }
        }
        Ok(())
    }

    /// A line for each class, and one for all.
    pub fn table(&self) -> Table {
        let columns = [
            ("Class", ""),
            ("Records", ""),
            ("Bytes", ""),
            ("Bytes a record", "bytes"),
            ("Bytes a task", "bytes"),
        ];
        let mut table = Table::new("Bytes of monitoring", &columns);
        let tasks = self.ended.max(self.identities);
        let each = |bytes: u64, of: u64| match of {
            0 => Cell::Empty,
            of => Cell::Number(bytes as f64 / of as f64, 1),
        };
        let all = self
            .classes
            .iter()
            .fold((0, 0), |(records, bytes), (_, more, longer)| (records + more, bytes + longer));
        let whole = [(String::from("all"), all.0, all.1)];
        for (class, records, bytes) in self.classes.iter().chain(&whole) {
            table.rows.push(vec![
                Cell::Text(class.clone()),
                Cell::Count(*records),
                Cell::Count(*bytes),
                each(*bytes, *records),
                each(*bytes, tasks),
            ]);
        }
        table.notes = lost_note(self.lost);
        table
    }
}

#[cfg(test)]
mod tests {
    use crate::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};
    use crate::table::Shape;

    use super::*;

    #[test]
    fn bytes_are_those_of_the_records_with_their_heads_and_tasks_are_those_that_have_ended() {
        let column = || vec![LayoutColumn { form: ColumnForm::Text, names: "RTYPE".to_owned() }];
        let kind = |name: &str| KindLayout { name: name.to_owned(), columns: column() };
        let mut bytes = Layout { kinds: vec![kind("performance"), kind("resource")] }.header();
        let head = bytes.len();
        for (kind, text) in [(0, "T"), (0, "S"), (0, "T"), (1, "ACCOUNTS")] {
            let mut record = Encoder::begin(&mut bytes, kind);
            record.text(0, text.as_bytes());
            record.end();
        }
        let mut written = Written::default();
        written.add(&bytes).expect("a file of ours");
        let table = written.table();
        let text = table.show(Shape::Csv);
        let all = (bytes.len() - head) as u64;
        assert_eq!(table.rows[2][2], Cell::Count(all), "{text}");
        assert_eq!(table.rows[0][1..3], [Cell::Count(3), Cell::Count(18)], "{text}");
        assert_eq!(table.rows[0][4], Cell::Number(9.0, 1), "{text}");
    }
}
