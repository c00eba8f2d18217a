//! VERIFY and EXAMINE: whether a data set and its alternate indexes agree.

use records::UnitOfWork;

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
        let mut entries = vec![0; indexes.len()];
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
                for (index, entries) in indexes.iter().zip(&mut entries) {
                    let Some(alternate) = index.key.of(record) else { continue };
                    *entries += 1;
                    let (entry, contents) = index.entry(alternate, key);
                    let mut there = Vec::new();
                    if !unit.get(index.store, &entry, &mut there).await? || *there != *contents {
                        verified.problems.push(format!("{}: no entry for record {key:02X?}", index.name));
                    }
                }
            }
            progress(verified.records);
        }
        for (index, expected) in indexes.iter().zip(entries) {
            let count = count_entries(&mut *unit, index).await?;
            if count != expected {
                let problem = format!("{}: {count} entries where there should be {expected}", index.name);
                verified.problems.push(problem);
            }
        }
        Ok(verified)
    }
}

async fn count_entries(unit: &mut dyn UnitOfWork, index: &Index) -> Result<u64> {
    let (mut walk, mut count) = (Walk::new(index.store), 0);
    loop {
        match walk.step(unit).await?.len() {
            0 => return Ok(count),
            more => count += more as u64,
        }
    }
}
