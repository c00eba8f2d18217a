//! The records of a SORT: in memory up to a limit, beyond it in runs in temporary files that are merged.

use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use cobol_ir::program::files::SortOrder;
use cobol_run::compare_records;

/// Bytes of records in memory at once; beyond that they go to a file.
const MEMORY_MAX: usize = 32 << 20;
/// Bytes that a record costs besides its own.
const RECORD_COST: usize = 48;
/// Runs that are merged at once.
const RUNS_MAX: usize = 200;

/// Records that are being sorted.
pub(crate) struct Sorter {
    order: SortOrder,
    memory_max: usize,
    records: Vec<Vec<u8>>,
    bytes: usize,
    runs: Vec<RunFile>,
    /// The records come out: the first ones of each run, and those in memory.
    merging: Option<Merging>,
}

/// A run in a file, and its next record.
struct RunFile {
    input: BufReader<sealed::File>,
    next: Option<Vec<u8>>,
}

struct Merging {
    memory: std::vec::IntoIter<Vec<u8>>,
    next: Option<Vec<u8>>,
}

impl Sorter {
    /// One without records.
    pub fn new(order: SortOrder) -> Self {
        Self { order, memory_max: MEMORY_MAX, records: Vec::new(), bytes: 0, runs: Vec::new(), merging: None }
    }

    /// Takes a record; false if records come out already.
    pub fn release(&mut self, record: Vec<u8>) -> io::Result<bool> {
        if self.merging.is_some() {
            return Ok(false);
        }
        self.bytes += record.len() + RECORD_COST;
        self.records.push(record);
        if self.bytes > self.memory_max {
            self.spill()?;
        }
        Ok(true)
    }

    /// All records are there: they come out from now on.
    pub fn turn(&mut self) -> io::Result<()> {
        self.sort();
        let mut memory = std::mem::take(&mut self.records).into_iter();
        let next = memory.next();
        self.merging = Some(Merging { memory, next });
        Ok(())
    }

    /// The next record. Equal ones come in the order in which they were released.
    pub fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(merging) = &mut self.merging else { return Ok(None) };
        let mut least: Option<usize> = None;
        for (index, run) in self.runs.iter().enumerate() {
            let Some(own) = &run.next else { continue };
            let is_less = match least.and_then(|at| self.runs[at].next.as_ref()) {
                Some(other) => compare_records(&self.order, own, other).is_lt(),
                None => true,
            };
            if is_less {
                least = Some(index);
            }
        }
        // What is in memory was released last.
        let from_run = match (least.and_then(|at| self.runs[at].next.as_ref()), &merging.next) {
            (Some(run), Some(memory)) => compare_records(&self.order, run, memory).is_le(),
            (run, _) => run.is_some(),
        };
        match least.filter(|_| from_run) {
            Some(at) => self.runs[at].take(),
            None => {
                let next = merging.memory.next();
                Ok(std::mem::replace(&mut merging.next, next))
            }
        }
    }

    fn sort(&mut self) {
        let order = &self.order;
        self.records.sort_by(|left, right| compare_records(order, left, right));
    }

    /// The records in memory become a run.
    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        if self.runs.len() >= RUNS_MAX {
            self.merge_runs()?;
        }
        let mut output = Output::new()?;
        for record in self.records.drain(..) {
            output.put(&record)?;
        }
        self.bytes = 0;
        self.runs.push(output.finish()?);
        Ok(())
    }

    /// All runs become one.
    fn merge_runs(&mut self) -> io::Result<()> {
        let runs = std::mem::take(&mut self.runs);
        let mut merger = Self { runs, ..Self::new(self.order.clone()) };
        merger.turn()?;
        let mut output = Output::new()?;
        while let Some(record) = merger.next()? {
            output.put(&record)?;
        }
        self.runs.push(output.finish()?);
        Ok(())
    }
}

/// A run that is written.
struct Output(BufWriter<sealed::File>);

impl Output {
    fn new() -> io::Result<Self> {
        Ok(Self(BufWriter::new(sealed::File::scratch(tempfile::tempfile()?)?)))
    }

    fn put(&mut self, record: &[u8]) -> io::Result<()> {
        self.0.write_all(&(record.len() as u32).to_ne_bytes())?;
        self.0.write_all(record)
    }

    fn finish(self) -> io::Result<RunFile> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut run = RunFile { input: BufReader::new(file), next: None };
        run.take()?;
        Ok(run)
    }
}

impl RunFile {
    /// Its next record, which is replaced by the one behind it.
    fn take(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut length = [0; size_of::<u32>()];
        let next = match self.input.read_exact(&mut length) {
            Ok(()) => {
                let mut record = vec![0; u32::from_ne_bytes(length) as usize];
                self.input.read_exact(&mut record)?;
                Some(record)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(error) => return Err(error),
        };
        Ok(std::mem::replace(&mut self.next, next))
    }
}

#[cfg(test)]
mod tests {
    use cobol_ir::program::files::SortKey;

    use super::*;

    fn sorter(memory_max: usize, descending: bool) -> Sorter {
        let keys = vec![SortKey { offset: 0, length: 3, numeric: None, descending }];
        Sorter { memory_max, ..Sorter::new(SortOrder { keys, collating: None }) }
    }

    /// The same records in memory, in some runs, and in more runs than are merged at once.
    #[test]
    fn records_come_in_order_and_equal_ones_as_they_came() {
        for (memory_max, descending) in [(1 << 20, false), (1000, false), (60, false), (1000, true)] {
            let mut sorter = sorter(memory_max, descending);
            let mut expected: Vec<(u32, u32)> = (0..1000).map(|n| ((n * 7919) % 100, n)).collect();
            for (key, n) in &expected {
                assert!(sorter.release(format!("{key:03}{n:04}").into_bytes()).expect("room"));
            }
            sorter.turn().expect("room");
            expected.sort_by(|left, right| match descending {
                true => right.0.cmp(&left.0),
                false => left.0.cmp(&right.0),
            });
            for (key, n) in expected {
                let record = sorter.next().expect("room").expect("a record");
                assert_eq!(String::from_utf8_lossy(&record), format!("{key:03}{n:04}"), "{memory_max}");
            }
            assert_eq!(sorter.next().expect("room"), None);
            assert!(!sorter.release(Vec::new()).expect("room"), "no record is taken when they come out");
        }
    }
}
