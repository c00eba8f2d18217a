//! The records of a journal's file.
//!
//! ```text
//! record = "SJNL" length:4 checksum:4 body             length: of the body; checksum: CRC-32 of the body
//! body   = time:8 task:4 transaction:4 terminal:4 user:8 type:2 prefix-length:4 prefix data
//! ```
//!
//! Numbers are binary, the first byte the highest; names are padded with blanks. `time` counts microseconds from
//! 1970-01-01 00:00 UTC. A record that a crash has torn is followed by the next one: a reader that meets bytes which are
//! no record goes on where the next record begins.

use jiff::Timestamp;

use kernel::name::{Name, Name8, TerminalName, TransactionName};

/// The first bytes of every record.
const MARK: &[u8; 4] = b"SJNL";
/// Bytes before the body.
const HEAD: usize = 12;
/// Bytes of the body before the prefix.
const FIXED: usize = 34;

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it was written.
    pub time: Timestamp,
    /// The number of the task that wrote it.
    pub task: u32,
    /// Its transaction.
    pub transaction: TransactionName,
    /// Its terminal; blank: none.
    pub terminal: TerminalName,
    /// Its user.
    pub user: Name8,
    /// JTYPEID.
    pub kind: Name<2>,
    /// PREFIX.
    pub prefix: Vec<u8>,
    /// FROM.
    pub data: Vec<u8>,
}

impl Record {
    /// As bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + FIXED + self.prefix.len() + self.data.len());
        bytes.extend([0; HEAD]);
        bytes.extend(self.time.as_microsecond().to_be_bytes());
        bytes.extend(self.task.to_be_bytes());
        bytes.extend(self.transaction.as_bytes());
        bytes.extend(self.terminal.as_bytes());
        bytes.extend(self.user.as_bytes());
        bytes.extend(self.kind.as_bytes());
        bytes.extend((self.prefix.len() as u32).to_be_bytes());
        bytes.extend(&self.prefix);
        bytes.extend(&self.data);
        let checksum = crc32fast::hash(&bytes[HEAD..]);
        let length = (bytes.len() - HEAD) as u32;
        bytes[..4].copy_from_slice(MARK);
        bytes[4..8].copy_from_slice(&length.to_be_bytes());
        bytes[8..HEAD].copy_from_slice(&checksum.to_be_bytes());
        bytes
    }

    /// The record that `bytes` begin with, and how many bytes it has; `None` where there is no whole record.
    fn from_bytes(bytes: &[u8]) -> Option<(Self, usize)> {
        let rest = bytes.strip_prefix(MARK)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (checksum, rest) = rest.split_first_chunk::<4>()?;
        let body = rest.get(..u32::from_be_bytes(*length) as usize)?;
        if crc32fast::hash(body) != u32::from_be_bytes(*checksum) {
            return None;
        }
        let mut at = body;
        let record = Self {
            time: Timestamp::from_microsecond(i64::from_be_bytes(take(&mut at)?)).ok()?,
            task: u32::from_be_bytes(take(&mut at)?),
            transaction: Name::new(take::<4>(&mut at)?),
            terminal: Name::new(take::<4>(&mut at)?),
            user: Name::new(take::<8>(&mut at)?),
            kind: Name::new(take::<2>(&mut at)?),
            prefix: {
                let length = u32::from_be_bytes(take(&mut at)?) as usize;
                let (prefix, rest) = at.split_at_checked(length)?;
                at = rest;
                prefix.to_vec()
            },
            data: at.to_vec(),
        };
        Some((record, HEAD + body.len()))
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

/// The contents of a place of a journal's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A record.
    Record(Record),
    /// Bytes that are no record, so many.
    Damaged(usize),
}

/// All that is in a journal's file, with its place, in order.
pub fn read(bytes: &[u8]) -> impl Iterator<Item = (usize, Found)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let place = at;
        if let Some((record, length)) = Record::from_bytes(rest) {
            at += length;
            return Some((place, Found::Record(record)));
        }
        let is_record = |start: &usize| Record::from_bytes(&rest[*start..]).is_some();
        let damaged = memchr::memmem::find_iter(&rest[1..], MARK).map(|start| start + 1).find(is_record);
        at += damaged.unwrap_or(rest.len());
        Some((place, Found::Damaged(at - place)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(data: &str) -> Record {
        Record {
            time: Timestamp::from_second(1_000_000).expect("on the calendar"),
            task: 42,
            transaction: "PAY1".into(),
            terminal: "T001".into(),
            user: "ANN".into(),
            kind: "AU".into(),
            prefix: b"P".to_vec(),
            data: data.as_bytes().to_vec(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = [record("ONE").to_bytes(), record("").to_bytes()].concat();
        let found: Vec<_> = read(&bytes).map(|(_, found)| found).collect();
        assert_eq!(found, [Found::Record(record("ONE")), Found::Record(record(""))]);
    }

    #[test]
    fn a_torn_record_does_not_hide_the_next_one() {
        let whole = record("ONE").to_bytes();
        for torn in 1..whole.len() {
            let bytes = [&whole[..torn], &record("TWO").to_bytes()].concat();
            let found: Vec<_> = read(&bytes).collect();
            assert_eq!(found, [(0, Found::Damaged(torn)), (torn, Found::Record(record("TWO")))], "{torn}");
        }
    }

    #[test]
    fn a_changed_byte_is_seen() {
        let mut bytes = record("ONE").to_bytes();
        *bytes.last_mut().expect("bytes") ^= 1;
        let length = bytes.len();
        assert_eq!(read(&bytes).collect::<Vec<_>>(), [(0, Found::Damaged(length))]);
    }
}
