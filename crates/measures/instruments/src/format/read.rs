//! Reading: entry after entry.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::number::{take, take_bytes};
use super::write::ColumnForm;
use super::{MAGIC, TAG_KIND, TAG_LOST, TAG_RECORDS};

/// The reason why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// It does not begin as a file of records does.
    #[error("it is no file of monitoring or statistics records")]
    NotOurs,
    /// A frame says something that cannot be.
    #[error("byte {0}: this is no record")]
    At(usize),
}

/// A kind of record, as the file describes it.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
    columns_of: HashMap<String, Vec<usize>>,
}

/// A column of a kind.
#[derive(Debug)]
pub struct Column {
    /// Its form.
    pub form: ColumnForm,
    /// The fields that take it.
    pub fields: Vec<String>,
}

/// The value of a column of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A count, a value, a time, a point in time.
    Number(u64),
    /// Nanoseconds and a count.
    Clock(u64, u64),
    /// Characters.
    Text(&'a [u8]),
    /// A name with nanoseconds and a count.
    Named(&'a [u8], u64, u64),
}

/// A record.
#[derive(Debug)]
pub struct Record<'a> {
    /// Its kind.
    pub kind: Rc<Kind>,
    /// Its values, each with its column.
    pub values: Vec<(usize, Value<'a>)>,
    /// Its bytes in the file.
    pub length: usize,
}

/// An entry of a file.
#[derive(Debug)]
pub enum FileEntry<'a> {
    /// A record.
    Record(Record<'a>),
    /// So many records are missing here: they came faster than they could be written.
    Lost(u64),
}

/// Reads a file's entries one after the other.
pub struct Reader<'a> {
    whole: usize,
    rest: &'a [u8],
    kinds: BTreeMap<u64, Rc<Kind>>,
}

impl<'a> Reader<'a> {
    /// A reader of a file's bytes.
    ///
    /// # Errors
    /// [`Broken::NotOurs`].
    pub fn new(bytes: &'a [u8]) -> Result<Self, Broken> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Broken::NotOurs)?;
        Ok(Self { whole: bytes.len(), rest, kinds: BTreeMap::new() })
    }

    /// The bytes behind the last whole frame, at the end: they are those of a frame that was cut off.
    pub fn unread(&self) -> usize {
        self.rest.len()
    }

    /// The kinds of records that the file has described so far, in the order of their numbers.
    pub fn kinds(&self) -> impl Iterator<Item = &Rc<Kind>> {
        self.kinds.values()
    }

    fn define(&mut self, mut body: &[u8]) -> Option<()> {
        let number = take(&mut body)?;
        let name = text(take_bytes(&mut body)?).into_owned();
        let count = take(&mut body)?;
        let mut columns = Vec::new();
        for _ in 0..count {
            let (form, rest) = body.split_first()?;
            body = rest;
            let names = text(take_bytes(&mut body)?).into_owned();
            let fields = names.split(' ').map(str::to_owned).collect();
            columns.push(Column { form: ColumnForm::of(*form)?, fields });
        }
        let mut columns_of: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, column) in columns.iter().enumerate() {
            for field in &column.fields {
                columns_of.entry(field.clone()).or_default().push(place);
            }
        }
        self.kinds.insert(number, Rc::new(Kind { name, columns, columns_of }));
        Some(())
    }

    fn record(&self, kind: u64, mut body: &'a [u8]) -> Option<Record<'a>> {
        let kind = Rc::clone(self.kinds.get(&kind)?);
        let mut values = Vec::new();
        while !body.is_empty() {
            let column = usize::try_from(take(&mut body)?).ok()?;
            let value = match kind.columns.get(column)?.form {
                ColumnForm::Count | ColumnForm::Value | ColumnForm::Stamp | ColumnForm::Time => {
                    Value::Number(take(&mut body)?)
                }
                ColumnForm::Clock => Value::Clock(take(&mut body)?, take(&mut body)?),
                ColumnForm::Text => Value::Text(take_bytes(&mut body)?),
                ColumnForm::Named => Value::Named(take_bytes(&mut body)?, take(&mut body)?, take(&mut body)?),
            };
            values.push((column, value));
        }
        Some(Record { kind, values, length: 0 })
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<FileEntry<'a>, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.whole - self.rest.len();
            let mut rest = self.rest;
            // A frame that is not whole is the end of a file whose writer was killed.
            let tag = take(&mut rest)?;
            let mut body = take_bytes(&mut rest)?;
            self.rest = rest;
            let entry = match tag {
                TAG_KIND => self.define(body).map(|()| None),
                TAG_LOST => take(&mut body).map(|count| Some(FileEntry::Lost(count))),
                tag => self.record(tag - TAG_RECORDS, body).map(|record| {
                    let length = self.whole - self.rest.len() - at;
                    Some(FileEntry::Record(Record { length, ..record }))
                }),
            };
            match entry {
                Some(Some(entry)) => return Some(Ok(entry)),
                Some(None) => {}
                None => {
                    self.rest = &[];
                    return Some(Err(Broken::At(at)));
                }
            }
        }
    }
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

impl<'a> Record<'a> {
    fn of(&self, field: &str) -> impl Iterator<Item = &Value<'a>> {
        let columns = self.kind.columns_of.get(field).map_or(&[][..], Vec::as_slice);
        self.values.iter().filter(move |(column, _)| columns.contains(column)).map(|(_, value)| value)
    }

    /// A count, a value, a time or a point in time: 0 if it is not there.
    pub fn number(&self, field: &str) -> u64 {
        let numbers = self.of(field).filter_map(|value| match value {
            Value::Number(number) => Some(*number),
            _ => None,
        });
        numbers.fold(0, u64::saturating_add)
    }

    /// Nanoseconds and count of a clock.
    pub fn clock(&self, field: &str) -> (u64, u64) {
        self.of(field).fold((0, 0), |(time, count), value| match value {
            Value::Clock(more, times) => (time.saturating_add(*more), count.saturating_add(*times)),
            _ => (time, count),
        })
    }

    /// Returns characters: empty if there are none.
    pub fn text(&self, field: &str) -> Cow<'a, str> {
        let found = self.of(field).find_map(|value| match value {
            Value::Text(bytes) => Some(*bytes),
            _ => None,
        });
        text(found.unwrap_or_default())
    }

    /// A list of names, each with nanoseconds and a count.
    pub fn named(&self, field: &str) -> impl Iterator<Item = (Cow<'a, str>, u64, u64)> {
        self.of(field).filter_map(|value| match value {
            Value::Named(name, time, count) => Some((text(name), *time, *count)),
            _ => None,
        })
    }
}
