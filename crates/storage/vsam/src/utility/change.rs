//! Every record of a data set changed at once.

use records::StoreId;

use super::walk::Walk;
use super::{Progress, SORT_MEMORY, STEP, Sorter};
use crate::sphere::Key;
use crate::{Cluster, Error, Name, Organization, Result, Vsam};

/// The outcome of [`Vsam::change_all`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Records of the data set.
    pub read: u64,
    /// Records that have become others.
    pub changed: u64,
}

/// Makes another record of one, which has this number, from 1.
pub type Change<'a, E> = &'a mut dyn FnMut(u64, &[u8]) -> std::result::Result<Vec<u8>, E>;

impl Vsam {
    /// A cluster by its own name.
    fn plain_cluster(&self, name: &Name) -> Result<(Name, (Cluster, StoreId))> {
        let (cluster_name, through) = self.resolve(name)?;
        if through.is_some() {
            return Err(Error::Invalid("it is a path: name its cluster"));
        }
        let found = self.cluster(&cluster_name)?;
        Ok((cluster_name, found))
    }

    /// Makes of each record what `change` makes of it, which has its number, too: all of them, or none of them if one is refused. They stay
    /// where they are, or go into another data set, which has no records yet. Without `keep` nothing is changed, and only looked at. A
    /// KSDS keeps its keys and an RRDS its slots; records of an ESDS lie one behind the other again, elsewhere than before where lengths
    /// have changed.
    ///
    /// # Errors
    /// The error of `change`; a record that does not fit the data set; a data set that is open, or that has records already.
    pub async fn change_all<E: From<Error>>(
        &self,
        name: &Name,
        into: Option<&Name>,
        keep: bool,
        change: Change<'_, E>,
        progress: Progress<'_>,
    ) -> std::result::Result<Changed, E> {
        let (from_name, from) = self.plain_cluster(name)?;
        let (cluster_name, target) = match into {
            Some(into) => self.plain_cluster(into)?,
            None => (from_name.clone(), from.clone()),
        };
        let ((from, from_store), (cluster, store)) = (from, target);
        let alone = self.enter(&from_name, true).await?;
        let _target =
            if cluster_name == from_name { None } else { Some(self.enter(&cluster_name, true).await?) };
        if cluster_name != from_name {
            let kind = std::mem::discriminant(&from.organization);
            if std::mem::discriminant(&cluster.organization) != kind {
                return Err(Error::Invalid("it is of another organization").into());
            }
            if !self.is_empty(store).await? {
                return Err(Error::NotEmpty(cluster_name).into());
            }
        }
        let mut unit = self.begin();
        let (mut walk, mut sorter) = (Walk::new(from_store), Sorter::new(SORT_MEMORY));
        let mut done = Changed::default();
        loop {
            let batch = walk.step(&mut *unit).await?;
            if batch.is_empty() {
                break;
            }
            for (key, record) in batch.iter() {
                done.read += 1;
                let new = change(done.read, record)?;
                cluster.check_record(&new).map_err(|error| error.of_record(done.read))?;
                if let Organization::Keyed(field) = cluster.organization
                    && field.of(&new) != Some(key)
                {
                    return Err(Error::KeyMismatch.of_record(done.read).into());
                }
                done.changed += u64::from(new != record);
                sorter.push(key.to_vec(), new)?;
                if done.read.is_multiple_of(STEP as u64) {
                    progress(done.read);
                }
            }
        }
        drop(unit);
        if !keep || (done.changed == 0 && into.is_none()) {
            return Ok(done);
        }
        let indexes = self.indexes_of(&cluster_name)?;
        let is_in_place = !matches!(cluster.organization, Organization::EntrySequenced);
        let mut records = sorter.sorted()?.map(|item| -> Result<(Option<Key>, Vec<u8>)> {
            let (key, record) = item?;
            Ok((is_in_place.then(|| Key::from_slice(&key)), record))
        });
        self.load_at_once(&cluster, store, &indexes, &mut records, progress)?;
        self.leave(alone).await;
        Ok(done)
    }
}
