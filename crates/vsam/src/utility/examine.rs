//! EXAMINE: records and index entries compared, both ways.

use std::sync::Arc;

use records::UnitOfWork;

use super::Progress;
use super::walk::Walk;
use crate::dataset::Index;
use crate::{Cluster, Name, Organization, Result, Vsam};

/// Which tests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tests {
    /// INDEXTEST: the entries of all upgraded indexes, each against its record.
    pub index: bool,
    /// DATATEST: the records, each against the definition and against its index entries.
    pub data: bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examined {
    /// Records looked at by the data test.
    pub records: u64,
    /// Bytes of the longest of them.
    pub longest: usize,
    /// Index entries looked at by the index test.
    pub entries: u64,
    /// What is wrong, a line each.
    pub problems: Vec<String>,
}

impl Vsam {
    /// Reads a cluster and its alternate indexes through and says what is wrong with them. Others may go on working:
    /// what they change meanwhile can show as a problem that is none.
    pub async fn examine(&self, name: &Name, tests: Tests, progress: Progress<'_>) -> Result<Examined> {
        let (cluster, store) = self.cluster(&self.base_of(name)?)?;
        let indexes: Vec<_> =
            self.indexes_of(&cluster.name).into_iter().filter(|index| index.upgrade).collect();
        let mut found = Examined::default();
        let mut unit = self.begin();
        if tests.index {
            for index in &indexes {
                self.examine_index(index, &mut *unit, store, &mut found).await?;
            }
        }
        if tests.data {
            examine_records(&cluster, (&mut *unit, store), &indexes, &mut found, progress).await?;
        }
        Ok(found)
    }

    /// Each entry of an index stands in order and leads to a record with that alternate key.
    async fn examine_index(
        &self,
        index: &Index,
        unit: &mut dyn UnitOfWork,
        store: records::StoreId,
        found: &mut Examined,
    ) -> Result<()> {
        let mut walk = Walk::new(index.store);
        let (mut last, mut record) = (Vec::new(), Vec::new());
        loop {
            let entries = walk.step(unit).await?.to_vec();
            if entries.is_empty() {
                return Ok(());
            }
            for (key, contents) in entries {
                found.entries += 1;
                if found.entries > 1 && last >= key {
                    found.problems.push(format!("{}: entry {key:02X?} is out of order", index.name));
                }
                let (alternate, base) = index.split(&key, &contents);
                let there = unit.get(store, base, &mut record).await?;
                if !there || index.key.of(&record) != Some(alternate) {
                    let problem = format!("{}: entry {key:02X?} leads to no such record", index.name);
                    found.problems.push(problem);
                }
                last = key;
            }
        }
    }
}

/// Each record is as the definition says, and has its entries.
async fn examine_records(
    cluster: &Cluster,
    (unit, store): (&mut dyn UnitOfWork, records::StoreId),
    indexes: &[Arc<Index>],
    found: &mut Examined,
    progress: Progress<'_>,
) -> Result<()> {
    let (mut walk, mut last) = (Walk::new(store), Vec::new());
    loop {
        let records = walk.step(unit).await?.to_vec();
        if records.is_empty() {
            return Ok(());
        }
        for (key, record) in &records {
            examine_record(cluster, &last, key, record, found);
            last.clone_from(key);
            for index in indexes {
                examine_entry_of(index, unit, key, record, found).await?;
            }
        }
        progress(found.records);
    }
}

/// A record stands in order, has the length that it may have, and its own key.
fn examine_record(cluster: &Cluster, last: &[u8], key: &[u8], record: &[u8], found: &mut Examined) {
    found.records += 1;
    found.longest = found.longest.max(record.len());
    if found.records > 1 && last >= key {
        found.problems.push(format!("{}: record {key:02X?} is out of order", cluster.name));
    }
    if let Err(error) = cluster.check_record(record) {
        found.problems.push(format!("{}: record {key:02X?}: {error}", cluster.name));
    } else if matches!(cluster.organization, Organization::Keyed(field) if field.of(record) != Some(key)) {
        found.problems.push(format!("{}: record {key:02X?} has another key in it", cluster.name));
    }
}

/// A record's entry is in the index.
async fn examine_entry_of(
    index: &Index,
    unit: &mut dyn UnitOfWork,
    key: &[u8],
    record: &[u8],
    found: &mut Examined,
) -> Result<()> {
    let Some(alternate) = index.key.of(record) else { return Ok(()) };
    let (entry, contents) = index.entry(alternate, key);
    let mut there = Vec::new();
    if !unit.get(index.store, &entry, &mut there).await? || *there != *contents {
        found.problems.push(format!("{}: no entry for record {key:02X?}", index.name));
    }
    Ok(())
}
