//! Sorting more than fits into memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::{Error, Result};

/// Memory of a sort before it writes a sorted run to a temporary file, in bytes.
pub const SORT_MEMORY: usize = 64 << 20;
/// Memory of an item beside its bytes, roughly.
const ITEM_COST: usize = 48;

/// A key and what belongs to it.
type Item = (Vec<u8>, Vec<u8>);

/// Takes items in any order and gives them back by key; items of the same key in the order in which they came.
pub struct Sorter {
    memory: usize,
    used: usize,
    count: u64,
    items: Vec<Item>,
    runs: Vec<BufReader<sealed::File>>,
}

impl Sorter {
    /// A sort that keeps about so many bytes in memory, and the rest in temporary files without names.
    pub fn new(memory: usize) -> Self {
        Self { memory, used: 0, count: 0, items: Vec::new(), runs: Vec::new() }
    }

    /// Takes an item.
    pub fn push(&mut self, key: Vec<u8>, item: Vec<u8>) -> Result<()> {
        self.used += ITEM_COST + key.len() + item.len();
        self.count += 1;
        self.items.push((key, item));
        if self.used > self.memory { self.write_run().map_err(|error| failed(&error)) } else { Ok(()) }
    }

    /// Number of items that it has taken.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All items, sorted.
    pub fn sorted(mut self) -> Result<Sorted> {
        self.items.sort_by(|a, b| a.0.cmp(&b.0));
        let mut sorted = Sorted { rest: self.items.into_iter(), runs: self.runs, heads: BinaryHeap::new() };
        // The items in memory came last.
        for source in 0..=sorted.runs.len() {
            sorted.advance(source)?;
        }
        Ok(sorted)
    }

    fn write_run(&mut self) -> io::Result<()> {
        self.items.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out = BufWriter::new(sealed::File::scratch(tempfile::tempfile()?)?);
        for (key, item) in self.items.drain(..) {
            for bytes in [&key, &item] {
                out.write_all(&(bytes.len() as u64).to_le_bytes())?;
                out.write_all(bytes)?;
            }
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(BufReader::new(file));
        self.used = 0;
        Ok(())
    }
}

/// The next item of a source: its key, which source, and what belongs to the key.
type Head = (Vec<u8>, usize, Vec<u8>);

/// The items of a [`Sorter`], sorted.
pub struct Sorted {
    rest: std::vec::IntoIter<Item>,
    runs: Vec<BufReader<sealed::File>>,
    /// The next item of each source: the runs in their order, then what is in memory.
    heads: BinaryHeap<Reverse<Head>>,
}

impl Sorted {
    fn advance(&mut self, source: usize) -> Result<()> {
        let next = match self.runs.get_mut(source) {
            Some(run) => read_item(run).map_err(|error| failed(&error))?,
            None => self.rest.next(),
        };
        self.heads.extend(next.map(|(key, item)| Reverse((key, source, item))));
        Ok(())
    }
}

impl Iterator for Sorted {
    type Item = Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((key, source, item)) = self.heads.pop()?;
        Some(self.advance(source).map(|()| (key, item)))
    }
}

/// The next item of a run; none at its end.
fn read_item(run: &mut BufReader<sealed::File>) -> io::Result<Option<Item>> {
    let mut length = [0; size_of::<u64>()];
    match run.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut key = vec![0; u64::from_le_bytes(length) as usize];
    run.read_exact(&mut key)?;
    run.read_exact(&mut length)?;
    let mut item = vec![0; u64::from_le_bytes(length) as usize];
    run.read_exact(&mut item)?;
    Ok(Some((key, item)))
}

fn failed(error: &io::Error) -> Error {
    Error::Engine(records::Error::Io(format!("a temporary file of a sort: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_by_key_and_equal_ones_as_they_came() {
        for memory in [0, 200, SORT_MEMORY] {
            let mut sorter = Sorter::new(memory);
            for (number, key) in ["c", "a", "b", "a", "", "c"].iter().enumerate() {
                sorter.push(key.as_bytes().into(), vec![number as u8]).unwrap();
            }
            let sorted: Result<Vec<Item>> = sorter.sorted().unwrap().collect();
            let numbers: Vec<u8> = sorted.unwrap().into_iter().map(|(_, item)| item[0]).collect();
            assert_eq!(numbers, [4, 1, 3, 2, 0, 5], "with {memory} bytes");
        }
    }
}
