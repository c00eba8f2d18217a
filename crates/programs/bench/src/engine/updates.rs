//! Units of work that read a record for update, rewrite it and commit.

use std::sync::Arc;

use records::{EncryptionKey, Engine, Owner, Wait};
use tokio::task::LocalSet;
use vsam::{Dataset, Search};

use super::floor::MapAndLog;
use super::{DataSet, STEP, count, key};
use crate::Options;
use crate::clock::{in_turns, spent};
use crate::promise::Measured;
use crate::site::{RECORD, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 7;
/// Units of work that are under way together, and share a force.
pub(super) const TOGETHER: usize = 64;
/// Microseconds in a second.
const MICROSECONDS: f64 = 1e6;

/// The way in which a unit of work commits.
#[derive(Clone, Copy)]
pub(super) enum Commit {
    Forced,
    Unforced,
}

impl DataSet {
    /// `units` units of work, `together` at a time.
    pub(super) fn update(&self, dataset: &Arc<Dataset>, units: usize, together: usize, commit: Commit) {
        let local = LocalSet::new();
        for task in 0..together {
            let owner = self.engine.locks().new_owner();
            let work = Task { engine: self.engine.clone(), dataset: dataset.clone(), owner, commit };
            let numbers = (task..units).step_by(together).map(|unit| unit * STEP % self.records);
            local.spawn_local(work.updates(numbers.collect()));
        }
        self.runtime.block_on(local);
    }
}

struct Task {
    engine: Arc<dyn Engine>,
    dataset: Arc<Dataset>,
    owner: Owner,
    commit: Commit,
}

impl Task {
    async fn updates(self, numbers: Vec<usize>) {
        let mut record = Vec::new();
        for number in numbers {
            self.update(&key(number), &mut record).await.expect("an update");
        }
    }

    async fn update(&self, key: &[u8], record: &mut Vec<u8>) -> vsam::Result<()> {
        let mut unit = self.engine.begin(self.owner);
        self.dataset.read_for_update(&mut *unit, Search::equal(key), Wait::Forever, record).await?;
        record[RECORD - 1] = record[RECORD - 1].wrapping_add(1);
        self.dataset.rewrite(&mut *unit, key, record, Wait::Forever).await?;
        match self.commit {
            Commit::Forced => unit.commit().await?,
            Commit::Unforced => unit.commit_unforced().await?,
        }
        Ok(())
    }
}

/// 64 units of work to a force.
pub(crate) fn forced_together(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let work =
        Work { id: "record-update-forced-64", units: 64_000, together: TOGETHER, commit: Commit::Forced };
    work.measure(options, workshop)
}

/// One unit of work to a force.
pub(crate) fn forced_alone(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let work = Work { id: "record-update-forced-1", units: 4_000, together: 1, commit: Commit::Forced };
    work.measure(options, workshop)
}

/// No force.
pub(crate) fn unforced(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let work = Work { id: "record-update-unforced", units: 100_000, together: 1, commit: Commit::Unforced };
    work.measure(options, workshop)
}

struct Work {
    id: &'static str,
    units: usize,
    together: usize,
    commit: Commit,
}

impl Work {
    fn measure(&self, options: &Options, workshop: &Workshop) -> Result<Measured, String> {
        let records = count(options);
        let units = options.size(self.units, 2 * self.together);
        let data = DataSet::loaded(&workshop.scratch(self.id)?, None, records)?;
        let dataset = data.open();
        let mut floor = MapAndLog::filled(&workshop.scratch("map-and-log")?, records)?;
        let per_unit = MICROSECONDS / units as f64;
        let (figure, floor) = in_turns(
            self.id,
            options.size(ROUNDS, 1),
            || spent(|| data.update(&dataset, units, self.together, self.commit)) * per_unit,
            || spent(|| self.floor(&mut floor, units, records)) * per_unit,
        );
        let changed = records.min(units * (options.size(ROUNDS, 1) + 1));
        let checkpoint = spent(|| data.engine.checkpoint().expect("a checkpoint"));
        let each = checkpoint * MICROSECONDS / changed as f64;
        Ok(Measured::new(figure, floor).note(format!(
            "{records} records of {RECORD} bytes; a record in its checkpoint costs {each:.1} us more"
        )))
    }

    fn floor(&self, floor: &mut MapAndLog, units: usize, records: usize) {
        for unit in 0..units {
            floor.update(unit * STEP % records);
            let full = (unit + 1).is_multiple_of(self.together);
            if full && matches!(self.commit, Commit::Forced) {
                floor.force();
            }
        }
    }
}

/// The same encrypted, beside the same in clear.
pub(crate) fn encrypted(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let records = count(options);
    let units = options.size(64_000, 2 * TOGETHER);
    let secret = EncryptionKey::from_hex(&"5c".repeat(32)).ok_or("no key")?;
    let clear = DataSet::loaded(&workshop.scratch("in-clear")?, None, records)?;
    let sealed = DataSet::loaded(&workshop.scratch("sealed")?, Some(secret), records)?;
    let (of_clear, of_sealed) = (clear.open(), sealed.open());
    let per_unit = MICROSECONDS / units as f64;
    let (figure, floor) = in_turns(
        "encryption",
        options.size(ROUNDS, 1),
        || spent(|| sealed.update(&of_sealed, units, TOGETHER, Commit::Forced)) * per_unit,
        || spent(|| clear.update(&of_clear, units, TOGETHER, Commit::Forced)) * per_unit,
    );
    let checkpoint = |data: &DataSet| spent(|| data.engine.checkpoint().expect("a checkpoint"));
    let (sealing, plain) = (checkpoint(&sealed), checkpoint(&clear));
    let reads = options.size(200_000, 100);
    let read = |data: &DataSet, of: &Arc<Dataset>| spent(|| data.read(of, reads)) * 1e9 / reads as f64;
    Ok(Measured::new(figure, floor)
        .note(format!("its checkpoint {:.2} times that in clear", sealing / plain))
        .note(format!(
            "a read of a record at rest {:.0} ns, in clear {:.0} ns",
            read(&sealed, &of_sealed),
            read(&clear, &of_clear)
        )))
}
