//! EXAMINE: records and index entries compared, both ways.

use std::collections::HashSet;
use std::sync::Arc;

use records::{StoreId, UnitOfWork};

use super::Progress;
use super::walk::Walk;
use crate::sphere::Index;
use crate::{Cluster, Name, Organization, Result, Vsam};

/// Which tests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tests {
    /// INDEXTEST: the entries of all upgraded indexes, each against its record.
    pub index: bool,
    /// DATATEST: the records, each against the definition, and whether each has its index entries.
    pub data: bool,
}

/// Results of an examination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examined {
    /// Records looked at by the data test.
    pub records: u64,
    /// Bytes of the longest of them.
    pub longest: usize,
    /// Index entries that lead to a record of their own.
    pub entries: u64,
    /// Mistakes, a line each.
    pub problems: Vec<String>,
}

impl Vsam {
    /// Reads a cluster and its alternate indexes through and says what is wrong with them. Others may go on working:
    /// what they change meanwhile can show as a problem that is none.
    pub async fn examine(&self, name: &Name, tests: Tests, progress: Progress<'_>) -> Result<Examined> {
        let (cluster, store) = self.cluster(&self.base_of(name)?)?;
        let indexes: Vec<_> =
            self.indexes_of(&cluster.name)?.into_iter().filter(|index| index.upgrade).collect();
        let mut found = Examined { problems: self.damage(name)?, ..Examined::default() };
        if !found.problems.is_empty() {
            // Nothing more can be said of what cannot be read.
            found.records = self.engine().verify(store)?.records;
            return Ok(found);
        }
        let mut unit = self.begin();
        if tests.index {
            for index in &indexes {
                check_order(index, &mut *unit, &mut found).await?;
                found.entries += check_entries(&mut *unit, index, store, &mut found.problems).await?;
            }
        }
        if tests.data {
            examine_records(&cluster, (&mut *unit, store), &indexes, &mut found, progress).await?;
        }
        Ok(found)
    }
}

impl Vsam {
    /// Parts of a cluster and its alternate indexes that are on the disk but not as they were written, a line each.
    /// Changes that no checkpoint has written yet have their checksums with them, and are looked at when they are
    /// read.
    pub fn damage(&self, name: &Name) -> Result<Vec<String>> {
        let (cluster, store) = self.cluster(&self.base_of(name)?)?;
        let indexes = self.indexes_of(&cluster.name)?;
        let mut damage = Vec::new();
        let stores = std::iter::once((&cluster.name, store))
            .chain(indexes.iter().map(|index| (&index.name, index.store)));
        for (name, store) in stores {
            let verified = self.engine().verify(store)?;
            if !verified.problems.is_empty() {
                let (records, expected) = (verified.records, verified.expected);
                damage.push(format!("{name}: {records} of {expected} records can be read"));
                damage.extend(verified.problems.into_iter().map(|problem| format!("{name}: {problem}")));
            }
        }
        Ok(damage)
    }
}

/// The entries of an index stand in order.
async fn check_order(index: &Index, unit: &mut dyn UnitOfWork, found: &mut Examined) -> Result<()> {
    let (mut walk, mut last): (_, Option<Vec<u8>>) = (Walk::new(index.store), None);
    loop {
        let entries = walk.step(unit).await?;
        if entries.is_empty() {
            return Ok(());
        }
        for (key, _) in entries.iter() {
            if last.as_deref().is_some_and(|last| last >= key) {
                found.problems.push(format!("{}: entry {key:02X?} is out of order", index.name));
            }
            last = Some(key.to_vec());
        }
    }
}

/// Each record is as the definition says, and none lacks an entry in an index.
async fn examine_records(
    cluster: &Cluster,
    (unit, store): (&mut dyn UnitOfWork, StoreId),
    indexes: &[Arc<Index>],
    found: &mut Examined,
    progress: Progress<'_>,
) -> Result<()> {
    let (mut walk, mut last): (_, Option<Vec<u8>>) = (Walk::new(store), None);
    let mut expected = vec![0_u64; indexes.len()];
    loop {
        let records = walk.step(unit).await?;
        if records.is_empty() {
            break;
        }
        for (key, record) in records.iter() {
            if last.as_deref().is_some_and(|last| last >= key) {
                found.problems.push(format!("{}: record {key:02X?} is out of order", cluster.name));
            }
            examine_record(cluster, key, record, found);
            last = Some(key.to_vec());
            for (index, expected) in indexes.iter().zip(&mut expected) {
                *expected += u64::from(index.key.of(record).is_some());
            }
        }
        progress(found.records);
    }
    for (index, expected) in indexes.iter().zip(expected) {
        let count = check_entries(unit, index, store, &mut Vec::new()).await?;
        if count != expected {
            let problem = format!("{}: {expected} records have its key, {count} have an entry", index.name);
            found.problems.push(problem);
        }
    }
    Ok(())
}

/// A record has the length that it may have, and its own key.
fn examine_record(cluster: &Cluster, key: &[u8], record: &[u8], found: &mut Examined) {
    found.records += 1;
    found.longest = found.longest.max(record.len());
    if let Err(error) = cluster.check_record(record) {
        found.problems.push(format!("{}: record {key:02X?}: {error}", cluster.name));
    } else if matches!(cluster.organization, Organization::Keyed(field) if field.of(record) != Some(key)) {
        found.problems.push(format!("{}: record {key:02X?} has another key in it", cluster.name));
    }
}

/// Looks whether every entry of an index leads to a record with its alternate key, no two of them to the same one;
/// returns how many do. If they are as many as the records that have an alternate key, none is missing.
async fn check_entries(
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
        for (key, contents) in entries.iter() {
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
