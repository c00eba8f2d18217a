//! A part of a data set, read from its start to its end.

use std::sync::Arc;

use records::UnitOfWork;

use crate::dataset::Dataset;
use crate::search::Found;
use crate::{Error, Result, Search};

/// Which records a utility works on; all of them by default. Keys may be shorter than the data set's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// FROMKEY: begins at the first record whose key is not less.
    pub from: Option<Vec<u8>>,
    /// SKIP: leaves out so many records first.
    pub skip: u64,
    /// TOKEY: ends with the last record whose key, as far as this one goes, is not greater.
    pub to: Option<Vec<u8>>,
    /// COUNT: ends after so many records.
    pub count: Option<u64>,
}

impl Extent {
    /// Shows the records to `visit`, in order. An empty data set shows none; a FROMKEY beyond the last record is
    /// [`Error::NotFound`].
    pub(crate) async fn visit(
        &self,
        dataset: &Arc<Dataset>,
        unit: &mut dyn UnitOfWork,
        visit: &mut dyn FnMut(&Found, &[u8]) -> Result<()>,
    ) -> Result<u64> {
        let from = self.from.as_deref().unwrap_or_default();
        let search = Search { key: from, generic: true, at_least: true };
        let mut browse = match dataset.browse(unit, search).await {
            Err(Error::NotFound) if self.from.is_none() => return Ok(0),
            started => started?,
        };
        let (mut skipped, mut shown) = (0, 0);
        let mut record = Vec::new();
        while self.count.is_none_or(|count| shown < count) {
            let found = match browse.next(unit, &mut record).await {
                Err(Error::EndOfFile) => break,
                found => found?,
            };
            if skipped < self.skip {
                skipped += 1;
            } else if self.ends_before(&found.key) {
                break;
            } else {
                visit(&found, &record)?;
                shown += 1;
            }
        }
        Ok(shown)
    }

    fn ends_before(&self, key: &[u8]) -> bool {
        self.to.as_deref().is_some_and(|to| key[..to.len().min(key.len())] > *to)
    }
}
