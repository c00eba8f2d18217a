//! The records that a command selects, one after the other.

use std::sync::Arc;

use idcams::{Key, Selection};
use records::UnitOfWork;
use vsam::{Browse, Dataset, Error, Organization, Search, rba, rrn};

use super::{Refusal, Run, Target};
use crate::codes;
use crate::file::{File, Reader};

/// The longest record of a sequential data set that does not say.
pub(super) const RECORD_MAX: usize = 32_760;

/// Records of a data set, from a first to a last one.
pub(super) struct Selected {
    pub dataset: Arc<Dataset>,
    browse: Option<Browse>,
    unit: Box<dyn UnitOfWork>,
    to: Option<Vec<u8>>,
}

impl Selected {
    /// The next record: its key, and `record` filled; none at the end.
    pub async fn next(&mut self, record: &mut Vec<u8>) -> vsam::Result<Option<vsam::Key>> {
        let Some(browse) = &mut self.browse else { return Ok(None) };
        match browse.next(&mut *self.unit, record).await {
            Err(Error::EndOfFile) => Ok(None),
            Err(error) => Err(error),
            Ok(found) => {
                let beyond =
                    self.to.as_deref().is_some_and(|to| found.key[..to.len().min(found.key.len())] > *to);
                Ok(if beyond { None } else { Some(found.key) })
            }
        }
    }
}

/// The source from which a command reads.
pub(super) enum Source {
    DataSet(Box<Selected>),
    File(Box<File>),
}

impl Run<'_> {
    /// Opens what a command reads, at its first record. COUNT and the SKIP of a file are the reader's to count.
    pub(super) async fn open(&self, target: Target, selection: &Selection) -> Result<Source, Refusal> {
        let name = match target {
            Target::DataSet(name) => name,
            Target::File(file) => {
                let placed = selection.from_key.is_some()
                    || selection.to_key.is_some()
                    || selection.addresses != (None, None)
                    || selection.numbers != (None, None);
                if placed {
                    let text = "a sequential data set has no keys, addresses or numbers: use SKIP and COUNT";
                    return Err(Refusal::Other(codes::ACTION, text.into()));
                }
                return Ok(Source::File(file));
            }
        };
        let dataset = self.site.vsam.dataset(&name).await?;
        let (from, to) = ends(&dataset, selection)?;
        let engine = self.site.vsam.engine();
        let mut unit = engine.begin(engine.locks().new_owner());
        let key = from.as_deref().unwrap_or_default();
        let search = Search { key, generic: true, at_least: true };
        let browse = match dataset.browse(&mut *unit, search).await {
            Err(Error::NotFound) if from.is_none() => None,
            started => Some(started?),
        };
        Ok(Source::DataSet(Box::new(Selected { dataset, browse, unit, to })))
    }
}

/// Returns the keys at the ends of a selection, in the data set's own terms.
fn ends(dataset: &Dataset, selection: &Selection) -> Result<Ends, Refusal> {
    let organization = dataset.cluster().organization;
    let by_address = organization == Organization::EntrySequenced && !dataset.is_path();
    let by_number = organization == Organization::Relative;
    let wrong = |what: &str, kind: &str| {
        Err(Refusal::Other(codes::ACTION, format!("{what} select records of {kind} only")))
    };
    if selection.addresses != (None, None) {
        let (from, to) = selection.addresses;
        let key = |address: Option<u64>| address.map(|address| rba(address).to_vec());
        return if by_address { Ok((key(from), key(to))) } else { wrong("addresses", "an ESDS") };
    }
    if selection.numbers != (None, None) {
        let (from, to) = selection.numbers;
        let key = |number: Option<u64>| {
            number.map(|number| rrn(u32::try_from(number).unwrap_or(u32::MAX)).to_vec())
        };
        return if by_number { Ok((key(from), key(to))) } else { wrong("numbers", "an RRDS") };
    }
    let keys = (&selection.from_key, &selection.to_key);
    if keys != (&None, &None) && dataset.key_field().is_none() {
        return wrong("keys", "a KSDS or a path");
    }
    let bytes = |key: &Option<Key>| {
        let mut bytes = match key.as_ref()? {
            Key::Characters(text) => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
            Key::Bytes(bytes) => bytes.clone(),
        };
        bytes.truncate(dataset.key_length());
        Some(bytes)
    };
    Ok((bytes(keys.0), bytes(keys.1)))
}

/// The first and the last key, each if there is one.
type Ends = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Counts records as SKIP and COUNT do.
pub(super) struct Counter {
    skip: u64,
    left: Option<u64>,
    /// Records that were taken.
    pub taken: u64,
}

/// The fate of a record.
#[derive(PartialEq, Eq)]
pub(super) enum Turn {
    Skip,
    Take,
    End,
}

impl Counter {
    pub fn new(selection: &Selection) -> Self {
        Self { skip: selection.skip.unwrap_or(0), left: selection.count, taken: 0 }
    }

    /// Returns true if no more records are wanted.
    pub fn is_full(&self) -> bool {
        self.left == Some(0)
    }

    /// Counts a record that is there.
    pub fn turn(&mut self) -> Turn {
        if self.is_full() {
            return Turn::End;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Turn::Skip;
        }
        self.left = self.left.map(|left| left - 1);
        self.taken += 1;
        Turn::Take
    }
}

/// A file's records as a data set takes them; what is wrong with the file is kept apart.
pub(super) struct Feed {
    pub reader: Reader,
    pub counter: Counter,
    pub failure: Option<crate::FileError>,
}

impl Iterator for Feed {
    type Item = vsam::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.counter.is_full() {
            match self.reader.next()? {
                Err(error) => {
                    self.failure = Some(error);
                    // Any error will do: it only has to stop the load.
                    return Some(Err(Error::Invalid("the file")));
                }
                Ok(record) if self.counter.turn() == Turn::Take => return Some(Ok(record)),
                Ok(_) => {}
            }
        }
        None
    }
}
