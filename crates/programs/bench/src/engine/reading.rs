//! Browses and loads, beside bare LMDB.

use std::sync::Arc;

use records::UnitOfWork;
use vsam::{Dataset, Search};

use super::floor::Tree;
use super::{DataSet, STEP, count, key};
use crate::Options;
use crate::clock::{in_turns, spent};
use crate::promise::Measured;
use crate::site::{RECORD, Workshop, record};

/// Rounds of which the median is taken.
const ROUNDS: usize = 7;
/// Records that a browse reads.
const BROWSED: usize = 20;

impl DataSet {
    /// Reads records one by one, each in a unit of work.
    pub(super) fn read(&self, dataset: &Arc<Dataset>, reads: usize) {
        let mut record = Vec::new();
        self.runtime.block_on(async {
            for number in 0..reads {
                let mut unit = self.begin();
                let key = key(number * STEP % self.records);
                let read = dataset.read(&mut *unit, Search::equal(&key), &mut record);
                read.await.expect("every number has its record");
            }
        });
    }

    async fn browse(&self, dataset: &Arc<Dataset>, from: usize, record: &mut Vec<u8>) {
        let mut unit: Box<dyn UnitOfWork> = self.begin();
        let from = key(from);
        let browse = dataset.browse(&mut *unit, Search::at_least(&from)).await;
        let mut browse = browse.expect("there are records behind it");
        for _ in 0..BROWSED {
            browse.next(&mut *unit, record).await.expect("a next one");
        }
    }
}

/// A browse of 20 records, beside a cursor of LMDB that reads the same.
pub(crate) fn browse(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let records = count(options);
    let browses = options.size(50_000, 100);
    let data = DataSet::loaded(&workshop.scratch("browsed")?, None, records)?;
    let dataset = data.open();
    let tree = Tree::new(&workshop.scratch("browsed-tree")?)?;
    tree.load(records);
    let per_browse = 1e6 / browses as f64;
    let starts = || (0..browses).map(|number| number * STEP % (records - BROWSED));
    let mut record = Vec::new();
    let mut places = [[0; RECORD]; BROWSED];
    let (figure, floor) = in_turns(
        "record-browse-20",
        options.size(ROUNDS, 1),
        || {
            let all = async {
                for from in starts() {
                    data.browse(&dataset, from, &mut record).await;
                }
            };
            spent(|| data.runtime.block_on(all)) * per_browse
        },
        || spent(|| starts().for_each(|from| tree.browse(from, &mut places))) * per_browse,
    );
    Ok(Measured::new(figure, floor).note(format!("{records} records of {RECORD} bytes")))
}

/// A load of sorted records, beside LMDB's own.
pub(crate) fn load(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let records = count(options);
    let rounds = options.size(3, 1);
    let per_record = 1e6 / records as f64;
    // Both fill a new folder each time.
    let mut round = 0;
    let mut tree_round = 0;
    let (figure, floor) = in_turns(
        "record-load",
        rounds,
        || {
            round += 1;
            let folder = workshop.scratch(&format!("loaded-{round}")).expect("a folder");
            let data = DataSet::new(&folder, None).expect("an engine");
            let mut all = (0..records).map(|number| Ok(record(number).into_bytes()));
            let seconds = spent(|| {
                data.load(&mut all).expect("a load");
                data.engine.checkpoint().expect("a checkpoint");
            });
            seconds * per_record
        },
        || {
            tree_round += 1;
            let folder = workshop.scratch(&format!("loaded-tree-{tree_round}")).expect("a folder");
            let tree = Tree::new(&folder).expect("a tree");
            spent(|| tree.load(records)) * per_record
        },
    );
    Ok(Measured::new(figure, floor).note(format!("{records} records of {RECORD} bytes, sorted")))
}
