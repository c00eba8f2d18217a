//! VERIFY and EXAMINE: whether a data set and its alternate indexes agree.

use std::collections::HashSet;

use records::{StoreId, UnitOfWork};

use super::Progress;
use super::walk::Walk;
use crate::dataset::Index;
use crate::{Name, Organization, Result, Vsam};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Records of the cluster.
    pub records: u64,
    /// What is wrong, a line each; none if all is well.
    pub problems: Vec<String>,
}

impl Vsam {
    /// Reads a cluster and its alternate indexes through, and compares them.
    pub async fn verify(&self, name: &Name, progress: Progress<'_>) -> Result<Verified> {
        let cluster_name = self.base_of(name)?;
        let (cluster, store) = self.cluster(&cluster_name)?;
        let indexes: Vec<_> =
            self.indexes_of(&cluster_name).into_iter().filter(|index| index.upgrade).collect();
        let mut verified = Verified::default();
        let mut expected = vec![0; indexes.len()];
        let mut unit = self.begin();
        let mut walk = Walk::new(store);
        loop {
            let records = walk.step(&mut *unit).await?;
            if records.is_empty() {
                break;
            }
            for (key, record) in records {
                verified.records += 1;
                let wrong_key = matches!(cluster.organization, Organization::Keyed(field) if field.of(record) != Some(key));
                if wrong_key {
                    verified
                        .problems
                        .push(format!("{cluster_name}: record {key:02X?} has another key in it"));
                }
                for (index, expected) in indexes.iter().zip(&mut expected) {
                    *expected += u64::from(index.key.of(record).is_some());
                }
            }
            progress(verified.records);
        }
        for (index, expected) in indexes.iter().zip(expected) {
            let count = check_entries(&mut *unit, index, store, &mut verified.problems).await?;
            if count != expected {
                let problem = format!("{}: {count} entries where there should be {expected}", index.name);
                verified.problems.push(problem);
            }
        }
        Ok(verified)
    }
}

/// Looks whether every entry of an index leads to a record with its alternate key, no two of them to the same one;
/// returns how many do. If they are as many as the records that have an alternate key, none is missing.
pub(super) async fn check_entries(
    unit: &mut dyn UnitOfWork,
    index: &Index,
    store: StoreId,
    problems: &mut Vec<String>,
) -> Result<u64> {
    let (mut walk, mut count) = (Walk::new(index.store), 0);
    let (mut group, mut seen) = (Vec::new(), HashSet::new());
    let mut record = Vec::new();
    loop {
        let entries = walk.step(unit).await?;
        if entries.is_empty() {
            return Ok(count);
        }
        for (key, contents) in entries {
            let (alternate, base) = index.split(key, contents);
            if group != alternate {
                group = alternate.to_vec();
                seen.clear();
            }
            unit.get(store, base, &mut record).await?;
            if index.key.of(&record) == Some(alternate) && seen.insert(base.to_vec()) {
                count += 1;
            } else {
                problems
                    .push(format!("{}: entry {alternate:02X?} leads to no record of its own", index.name));
            }
        }
    }
}
