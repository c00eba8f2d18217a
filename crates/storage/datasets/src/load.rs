//! Files of other systems into data sets that are empty.

use vsam::{Dataset, Name, Organization, Replace, SORT_MEMORY, Search, Sorter, Vsam};

use crate::file::{File, FileError};

/// The reason why a file is not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The data set.
    #[error(transparent)]
    DataSet(#[from] vsam::Error),
    /// The file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Loads a file if the data set is empty: how many records, or `None` if it has some already. The records of a KSDS may
/// come in any order. `progress` hears now and then how many records are done.
///
/// # Errors
/// See [`LoadError`]; the data set is left as it was.
pub async fn load_empty(
    vsam: &Vsam,
    name: &Name,
    file: &File,
    progress: &mut dyn FnMut(u64),
) -> Result<Option<u64>, LoadError> {
    let dataset = vsam.dataset(name).await?;
    if has_records(vsam, &dataset).await? {
        return Ok(None);
    }
    let (longest, organization) = (dataset.cluster().maximum, dataset.cluster().organization);
    drop(dataset);
    let mut sorter = Sorter::new(SORT_MEMORY);
    for (record, number) in file.read(longest)?.zip(1_u64..) {
        let record = record?;
        let key = match organization {
            Organization::Keyed(field) => field.of(&record).unwrap_or_default().to_vec(),
            _ => number.to_be_bytes().to_vec(),
        };
        sorter.push(key, record)?;
    }
    let mut records = sorter.sorted()?.map(|item| item.map(|(_, record)| record));
    Ok(Some(vsam.load(name, &mut records, Replace::No, progress).await?.written))
}

/// Returns true if there is a record: the search is for an empty generic key.
async fn has_records(vsam: &Vsam, dataset: &Dataset) -> vsam::Result<bool> {
    let mut unit = vsam.engine().begin(vsam.engine().locks().new_owner());
    match dataset.read(&mut *unit, Search::generic(&[]), &mut Vec::new()).await {
        Ok(_) => Ok(true),
        Err(vsam::Error::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}
