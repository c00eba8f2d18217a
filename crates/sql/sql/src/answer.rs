//! Answer of a server to one request: rows, counts, or an error.

use std::io;
use std::ops::Range;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::limits;
use crate::oid::{self, Oid};
use crate::wire::{Body, Format, Message, ServerFault, invalid};

/// Types of a statement's parameters and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// The types of its parameters.
    pub parameters: Box<[Oid]>,
    /// Its columns; empty if it gives no rows.
    pub columns: Box<[Column]>,
    /// Format in which each column is asked for.
    pub(crate) formats: Box<[Format]>,
}

impl Described {
    /// The same columns of a statement without parameters.
    pub(crate) fn without_parameters(&self) -> Rc<Self> {
        Rc::new(Self { parameters: Box::default(), ..self.clone() })
    }
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The table that it comes from, and its number there; 0 where it comes from none.
    pub table: Oid,
    /// See [`Column::table`].
    pub number: i16,
    /// Its type.
    pub oid: Oid,
    /// PostgreSQL's modifier of the type: length of a text, digits of a number; -1 for none.
    pub modifier: i32,
}

impl Column {
    /// A value of a type, from nowhere.
    pub const fn plain(oid: Oid) -> Self {
        Self { name: String::new(), table: 0, number: 0, oid, modifier: -1 }
    }
}

/// The rows of an answer, as they came.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    bytes: Vec<u8>,
    starts: Vec<u32>,
    /// The rows with a date that was adjusted to the end of its month, in order.
    adjusted: Vec<u32>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The values of a row; `None` is NULL.
    pub fn row(&self, number: usize) -> Values<'_> {
        let Some(&start) = self.starts.get(number) else { return Values { rest: &[], left: 0 } };
        let end = self.starts.get(number + 1).map_or(self.bytes.len(), |&end| end as usize);
        let row = &self.bytes[start as usize..end];
        Values {
            rest: row.get(2..).unwrap_or_default(),
            left: row.first_chunk().map_or(0, |n| u16::from_be_bytes(*n)),
        }
    }

    /// Appends some rows of others.
    pub(crate) fn append(&mut self, others: &Self, rows: Range<usize>) {
        for row in rows {
            let start = others.starts[row] as usize;
            let end = others.starts.get(row + 1).map_or(others.bytes.len(), |&end| end as usize);
            self.starts.push(self.bytes.len() as u32);
            self.bytes.extend(&others.bytes[start..end]);
            if others.is_adjusted(row) {
                self.adjusted.push(self.starts.len() as u32 - 1);
            }
        }
    }

    /// Returns true if a date in a row was adjusted to the end of its month.
    pub fn is_adjusted(&self, row: usize) -> bool {
        self.adjusted.iter().any(|adjusted| *adjusted as usize == row)
    }

    /// The server has adjusted a date of the row that comes next.
    fn adjusts(&mut self) {
        let next = self.starts.len() as u32;
        if self.adjusted.last() != Some(&next) {
            self.adjusted.push(next);
        }
    }

    fn push(&mut self, row: &[u8]) -> io::Result<()> {
        if self.bytes.len() + row.len() > limits::ANSWER_MAX {
            return Err(invalid("an answer that is longer than a region holds"));
        }
        self.starts.push(self.bytes.len() as u32);
        self.bytes.extend(row);
        Ok(())
    }
}

/// The values of a row, one after the other.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    rest: &'a [u8],
    left: u16,
}

impl<'a> Values<'a> {
    /// So many values, each with its length of four bytes before it; -1 is NULL.
    pub fn of(count: u16, rest: &'a [u8]) -> Self {
        Self { rest, left: count }
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (length, rest) = self.rest.split_first_chunk()?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            self.rest = rest;
            return Some(None);
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        Some(Some(value))
    }
}

/// Kind of statement that ran, from the words that the server ends it with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verb {
    /// SELECT, VALUES
    Select,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// MERGE
    Merge,
    /// FETCH
    Fetch,
    /// COMMIT
    Commit,
    /// ROLLBACK, also where a COMMIT was asked for and the transaction had failed
    Rollback,
    /// Anything else.
    #[default]
    Other,
}

/// Result of one statement of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its rows among those of the answer.
    pub rows: Range<usize>,
    /// Kind of statement that ran; `Other` while it is suspended.
    pub verb: Verb,
    /// Rows that it gave or changed.
    pub count: u64,
    /// There may be more rows behind these.
    pub is_suspended: bool,
}

/// State of a session's transaction after an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// In no transaction.
    #[default]
    Idle,
    /// In a transaction.
    Transaction,
    /// In a transaction that has failed: all but its backout is refused.
    Failed,
}

/// The answer to one request.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// All rows of all parts.
    pub rows: Rows,
    /// One for each statement that was run, in order, up to the first that failed.
    pub parts: SmallVec<[Part; 4]>,
    /// The server's error, if any: it belongs to the statement behind the last part.
    pub fault: Option<Box<ServerFault>>,
    /// State of the session's transaction now.
    pub status: Status,
    /// Number of statements that the server prepared before anything failed.
    pub(crate) parsed: usize,
    pub(crate) described: Option<Rc<Described>>,
}

impl Answer {
    /// Returns true if a date was adjusted to the end of its month.
    pub fn is_adjusted(&self) -> bool {
        !self.rows.adjusted.is_empty()
    }

    /// The columns of the rows.
    pub fn columns(&self) -> &[Column] {
        self.described.as_ref().map_or(&[], |described| &described.columns)
    }

    /// Rows that all parts gave or changed.
    pub fn count(&self) -> u64 {
        self.parts.iter().map(|part| part.count).sum()
    }

    /// The last part: what came of the statement that was meant, where others went before it.
    pub fn part(&self, number: usize) -> Part {
        self.parts.get(number).cloned().unwrap_or_default()
    }
}

/// The state of the notice by which `db2.adjusted` says so.
const ADJUSTED: &[u8; 5] = b"01506";

/// Puts an answer together from messages.
#[derive(Default)]
pub(crate) struct Collector {
    answer: Answer,
    parameters: Box<[Oid]>,
}

impl Collector {
    /// Takes a message; the whole answer once the server is ready for the next request.
    pub(crate) fn take(&mut self, message: &Message<'_>) -> io::Result<Option<Answer>> {
        let answer = &mut self.answer;
        match message.tag {
            b'D' => answer.rows.push(message.body)?,
            b'C' => {
                let (verb, count) = tag(Body(message.body).text()?);
                self.end_part(verb, count, false);
            }
            b's' => self.end_part(Verb::Other, 0, true),
            b'I' => self.end_part(Verb::Other, 0, false),
            b'1' => answer.parsed += 1,
            b't' => self.parameters = parameters(message.body)?,
            b'T' => self.describe(columns(message.body)?),
            b'n' => self.describe(Box::default()),
            b'E' if answer.fault.is_none() => answer.fault = Some(Box::new(ServerFault::read(message.body))),
            b'Z' => {
                answer.status = match message.body.first() {
                    Some(b'T') => Status::Transaction,
                    Some(b'E') => Status::Failed,
                    _ => Status::Idle,
                };
                return Ok(Some(std::mem::take(self).answer));
            }
            b'N' if &ServerFault::read(message.body).state == ADJUSTED => answer.rows.adjusts(),
            b'G' | b'H' | b'W' => return Err(invalid("a COPY, which no program asks for")),
            // Bound, closed, noticed.
            _ => (),
        }
        Ok(None)
    }

    /// The error so far, for a connection that ends before the answer does.
    pub(crate) fn fault(&mut self) -> Option<Box<ServerFault>> {
        self.answer.fault.take()
    }

    fn end_part(&mut self, verb: Verb, count: u64, is_suspended: bool) {
        let start = self.answer.parts.last().map_or(0, |part| part.rows.end);
        let rows = start..self.answer.rows.len();
        self.answer.parts.push(Part { rows, verb, count, is_suspended });
    }

    fn describe(&mut self, columns: Box<[Column]>) {
        let format = |column: &Column| if oid::is_binary(column.oid) { Format::Binary } else { Format::Text };
        let formats = columns.iter().map(format).collect();
        let parameters = std::mem::take(&mut self.parameters);
        self.answer.described = Some(Rc::new(Described { parameters, columns, formats }));
    }
}

/// `INSERT 0 3`, `UPDATE 3`, `COMMIT`.
fn tag(text: &[u8]) -> (Verb, u64) {
    let mut words = text.split(|&byte| byte == b' ');
    let verb = match words.next() {
        Some(b"SELECT") => Verb::Select,
        Some(b"INSERT") => Verb::Insert,
        Some(b"UPDATE") => Verb::Update,
        Some(b"DELETE") => Verb::Delete,
        Some(b"MERGE") => Verb::Merge,
        Some(b"FETCH") => Verb::Fetch,
        Some(b"COMMIT") => Verb::Commit,
        Some(b"ROLLBACK") => Verb::Rollback,
        _ => Verb::Other,
    };
    let count = words.next_back().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
    (verb, count.unwrap_or(0))
}

fn parameters(body: &[u8]) -> io::Result<Box<[Oid]>> {
    let mut body = Body(body);
    let count = body.i16()?;
    (0..count).map(|_| body.u32()).collect()
}

fn columns(body: &[u8]) -> io::Result<Box<[Column]>> {
    let mut body = Body(body);
    let count = body.i16()?;
    let column = |_| {
        let name = String::from_utf8_lossy(body.text()?).into_owned();
        let (table, number) = (body.u32()?, body.i16()?);
        let oid = body.u32()?;
        body.take(2)?;
        let modifier = body.u32()? as i32;
        body.take(2)?;
        Ok(Column { name, table, number, oid, modifier })
    };
    (0..count).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read() {
        assert_eq!(tag(b"INSERT 0 3"), (Verb::Insert, 3));
        assert_eq!(tag(b"UPDATE 0"), (Verb::Update, 0));
        assert_eq!(tag(b"COMMIT"), (Verb::Commit, 0));
        assert_eq!(tag(b"PREPARE TRANSACTION"), (Verb::Other, 0));
    }

    #[test]
    fn rows_are_kept_with_their_part() {
        let mut collector = Collector::default();
        let mut take = |tag, body: &[u8]| collector.take(&Message { tag, body }).unwrap();
        assert!(take(b'C', b"BEGIN\0").is_none());
        assert!(take(b'D', b"\0\x02\0\0\0\x01A\xFF\xFF\xFF\xFF").is_none());
        assert!(take(b'C', b"SELECT 1\0").is_none());
        let answer = take(b'Z', b"T").unwrap();
        assert_eq!(answer.part(1), Part { rows: 0..1, verb: Verb::Select, count: 1, is_suspended: false });
        assert_eq!(answer.rows.row(0).collect::<Vec<_>>(), [Some(b"A".as_slice()), None]);
        assert_eq!(answer.status, Status::Transaction);
    }

    #[test]
    fn a_row_that_is_cut_off_ends_early() {
        let mut rows = Rows::default();
        rows.push(b"\0\x02\0\0\0\x09A").unwrap();
        assert_eq!(rows.row(0).count(), 0);
        assert_eq!(rows.row(7).count(), 0);
    }
}
