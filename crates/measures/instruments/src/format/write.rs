//! Writing: a layout at the file's begin, then records.

use super::number::put;
use super::{MAGIC, TAG_KIND, TAG_LOST, TAG_RECORDS};

/// The kinds of records of a file.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The kinds, by number.
    pub kinds: Vec<KindLayout>,
}

/// A kind of record.
#[derive(Clone, Debug)]
pub struct KindLayout {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<LayoutColumn>,
}

/// A column: a value that is written once, for one field or several.
#[derive(Clone, Debug)]
pub struct LayoutColumn {
    /// Its form.
    pub form: ColumnForm,
    /// The fields that take it, a blank between two.
    pub names: String,
}

/// The form of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnForm {
    /// A number of times.
    Count = 0,
    /// A time and how often.
    Clock = 1,
    /// A number.
    Value = 2,
    /// Characters.
    Text = 3,
    /// A point in time.
    Stamp = 4,
    /// A time.
    Time = 5,
    /// Names, each with a time and a count.
    Named = 6,
}

impl ColumnForm {
    pub(super) fn of(byte: u8) -> Option<Self> {
        let forms = [Self::Count, Self::Clock, Self::Value, Self::Text, Self::Stamp, Self::Time, Self::Named];
        forms.get(usize::from(byte)).copied()
    }
}

impl Layout {
    /// The first bytes of a file with records of these kinds.
    pub fn header(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (number, kind) in self.kinds.iter().enumerate() {
            let mut body = Vec::new();
            put(&mut body, number as u64);
            put_bytes(&mut body, kind.name.as_bytes());
            put(&mut body, kind.columns.len() as u64);
            for column in &kind.columns {
                body.push(column.form as u8);
                put_bytes(&mut body, column.names.as_bytes());
            }
            put(&mut bytes, TAG_KIND);
            put_bytes(&mut bytes, &body);
        }
        bytes
    }
}

fn put_bytes(bytes: &mut Vec<u8>, text: &[u8]) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text);
}

/// Appends that so many records are missing here.
pub fn lost(bytes: &mut Vec<u8>, count: u64) {
    let mut body = Vec::new();
    put(&mut body, count);
    put(bytes, TAG_LOST);
    put_bytes(bytes, &body);
}

/// The room that is kept for a record's length: a number of two bytes, written long even where one would do.
const LENGTH_BYTES: usize = 2;
/// The longest record that such a length can tell.
const RECORD_MAX: usize = (1 << (7 * LENGTH_BYTES)) - 1;

/// A record that is being appended. Columns may come in any order.
pub struct Encoder<'a> {
    bytes: &'a mut Vec<u8>,
    begin: usize,
    body: usize,
}

impl<'a> Encoder<'a> {
    /// Begins a record of a kind.
    pub fn begin(bytes: &'a mut Vec<u8>, kind: usize) -> Self {
        let begin = bytes.len();
        put(bytes, TAG_RECORDS + kind as u64);
        bytes.extend_from_slice(&[0; LENGTH_BYTES]);
        let body = bytes.len();
        Self { bytes, begin, body }
    }

    /// A count, a value, a time in nanoseconds, or a point in time in microseconds.
    #[inline]
    pub fn number(&mut self, column: usize, number: u64) {
        if number != 0 {
            put(self.bytes, column as u64);
            put(self.bytes, number);
        }
    }

    /// A time in nanoseconds and how often it was taken.
    #[inline]
    pub fn clock(&mut self, column: usize, nanoseconds: u64, count: u64) {
        if nanoseconds != 0 || count != 0 {
            put(self.bytes, column as u64);
            put(self.bytes, nanoseconds);
            put(self.bytes, count);
        }
    }

    /// Adds characters, without the blanks after them.
    pub fn text(&mut self, column: usize, text: &[u8]) {
        let text = text.trim_ascii_end();
        if !text.is_empty() {
            put(self.bytes, column as u64);
            put_bytes(self.bytes, text);
        }
    }

    /// One of a list of names.
    pub fn named(&mut self, column: usize, name: &[u8], nanoseconds: u64, count: u64) {
        put(self.bytes, column as u64);
        put_bytes(self.bytes, name.trim_ascii_end());
        put(self.bytes, nanoseconds);
        put(self.bytes, count);
    }

    /// Ends the record. One that is longer than a length can tell is taken back: false.
    pub fn end(self) -> bool {
        let length = self.bytes.len() - self.body;
        if length > RECORD_MAX {
            self.bytes.truncate(self.begin);
            return false;
        }
        let place = &mut self.bytes[self.body - LENGTH_BYTES..self.body];
        place[0] = length as u8 | 0x80;
        place[1] = (length >> 7) as u8;
        true
    }
}
