//! The base in the table `records`.

use std::io;
use std::sync::Arc;

use records::{Depot, Direction, StoredEntries, StoredEntry, VisitEntry};

use crate::disk::value;
use crate::lane::{Ask, Lane, Lanes};
use crate::limits::{READ_BYTES, WRITE_BYTES, WRITE_RECORDS};
use crate::text::{bytes, push_bytes, push_number, to_bytes, to_number};

/// The base.
pub(crate) struct Store {
    lanes: Arc<Lanes>,
}

/// The words before the values of records, and behind them.
const PUT: (&str, &str) = (
    "INSERT INTO records (space, key, record) VALUES ",
    " ON CONFLICT (space, key) DO UPDATE SET record = excluded.record",
);
const TAKE: (&str, &str) =
    ("DELETE FROM records USING (VALUES ", ") AS gone (s, k) WHERE space = gone.s AND key = gone.k");

/// Values that are gathered for a statement.
struct Values {
    around: (&'static str, &'static str),
    text: String,
    count: usize,
}

impl Values {
    fn new(around: (&'static str, &'static str)) -> Self {
        Self { around, text: String::new(), count: 0 }
    }

    fn add(&mut self, space: u32, key: &[u8], record: Option<&[u8]>) {
        self.text.push_str(if self.count == 0 { self.around.0 } else { ", " });
        self.text.push('(');
        push_number(&mut self.text, space.into());
        self.text.push_str(", ");
        push_bytes(&mut self.text, key);
        if let Some(record) = record {
            self.text.push_str(", ");
            push_bytes(&mut self.text, record);
        }
        self.text.push(')');
        self.count += 1;
    }

    fn is_full(&self) -> bool {
        // Two digits a byte.
        self.count >= WRITE_RECORDS || self.text.len() >= 2 * WRITE_BYTES
    }

    /// The statement, if it has values; the next one begins.
    fn take(&mut self) -> Option<String> {
        (self.count > 0).then(|| {
            self.count = 0;
            let mut text = std::mem::take(&mut self.text);
            text.push_str(self.around.1);
            text
        })
    }
}

impl Store {
    pub fn new(lanes: Arc<Lanes>) -> Self {
        Self { lanes }
    }
}

fn try_write(
    lane: &Lane,
    cleared: &[u32],
    each: &dyn Fn(VisitEntry<'_>) -> io::Result<()>,
) -> io::Result<()> {
    lane.ask(Ask::part("BEGIN".to_owned()))?;
    for space in cleared {
        lane.ask(Ask::part(format!("DELETE FROM records WHERE space = {space}")))?;
    }
    let (mut puts, mut takes) = (Values::new(PUT), Values::new(TAKE));
    let make = |values: &mut Values| values.take().map_or(Ok(()), |text| lane.ask(Ask::part(text)).map(drop));
    each(&mut |space, key, record| {
        let values = if record.is_some() { &mut puts } else { &mut takes };
        values.add(space, key, record);
        if values.is_full() { make(values) } else { Ok(()) }
    })?;
    make(&mut puts)?;
    make(&mut takes)?;
    lane.ask(Ask::commit()).map(drop)
}

impl Depot for Store {
    fn read(
        &self,
        space: u32,
        low: &[u8],
        high: Option<&[u8]>,
        direction: Direction,
        limit: usize,
    ) -> io::Result<Vec<StoredEntry>> {
        let (mut low, mut high) = (low.to_vec(), high.map(<[u8]>::to_vec));
        let mut entries: Vec<StoredEntry> = Vec::new();
        loop {
            let before = high.as_ref().map_or(String::new(), |high| format!(" AND key < {}", bytes(high)));
            let order = if direction == Direction::Forward { "ASC" } else { "DESC" };
            let (from, left) = (bytes(&low), limit - entries.len());
            // So many that all before the last one have no more bytes than are read together.
            let rows = self.lanes.reads.ask(Ask::read(format!(
                "SELECT key, record FROM (SELECT key, record, sum(octet_length(record)) OVER (ORDER BY key {order} \
                 ROWS UNBOUNDED PRECEDING) - octet_length(record) AS passed FROM (SELECT key, record FROM records \
                 WHERE space = {space} AND key >= {from}{before} ORDER BY key {order} LIMIT {left}) AS part) AS counted \
                 WHERE passed < {READ_BYTES} ORDER BY key {order}"
            )))?;
            let mut read = 0;
            for row in &rows {
                let entry = (to_bytes(value(row, 0)?)?, to_bytes(value(row, 1)?)?);
                read += entry.1.len();
                entries.push(entry);
            }
            let Some((last, _)) = entries.last().filter(|_| entries.len() < limit && read >= READ_BYTES)
            else {
                return Ok(entries);
            };
            match direction {
                Direction::Forward => low = [last.as_slice(), &[0]].concat(),
                Direction::Backward => high = Some(last.clone()),
            }
        }
    }

    fn write(&self, cleared: &[u32], each: &dyn Fn(VisitEntry<'_>) -> io::Result<()>) -> io::Result<()> {
        let lane = self.lanes.base.lock();
        loop {
            match try_write(&lane, cleared, each) {
                // The transaction is lost, as if it had never been, or it is committed: either way it can be made again.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return written,
            }
        }
    }

    fn fill(&self, space: u32, entries: StoredEntries<'_>) -> io::Result<()> {
        let mut values = Values::new(PUT);
        let fill = |values: &mut Values| {
            values.take().map_or(Ok(()), |text| self.lanes.fills.ask(Ask::change(text)).map(drop))
        };
        for (key, record) in entries {
            values.add(space, &key, Some(&record));
            if values.is_full() {
                fill(&mut values)?;
            }
        }
        fill(&mut values)
    }

    fn spaces(&self) -> io::Result<Vec<u32>> {
        // From one space to the next, since each may have many records.
        let rows = self.lanes.reads.ask(Ask::read(
            "WITH RECURSIVE found (space) AS ((SELECT space FROM records ORDER BY space LIMIT 1) UNION ALL \
             SELECT (SELECT beyond.space FROM records AS beyond WHERE beyond.space > found.space ORDER BY beyond.space LIMIT 1) \
             FROM found WHERE found.space IS NOT NULL) SELECT space FROM found WHERE space IS NOT NULL"
                .to_owned(),
        ))?;
        let space = |row| Ok(to_number(value(row, 0)?)? as u32);
        rows.iter().map(space).collect()
    }
}
