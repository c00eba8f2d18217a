//! Restoring the state that a start keeps.

use std::fmt;
use std::sync::Arc;

use records::{Decider, Decision, Standing};

use kernel::keeper::{Beginning, Keeper};
use kernel::region::Region;

use super::{END, RUNNING, Restart, StartKind, each, keepers};
use crate::definitions::{self, Statuses};

/// The result of a start.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The kind of the start.
    pub kind: StartKind,
    /// The amount restored of each domain's, in its own words.
    pub kept: Vec<(&'static str, usize)>,
    /// Units of work that are in doubt.
    pub indoubt: usize,
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the start is {}; recovered: ", self.kind)?;
        self.kept.iter().try_for_each(|(words, number)| write!(f, "{number} {words}, "))?;
        write!(f, "{} units of work in doubt", self.indoubt)
    }
}

impl Restart {
    /// Restores the state that this start keeps, forgets the rest, and notes that the region runs. Definitions are
    /// installed by now; no task runs before [`release`].
    ///
    /// # Errors
    /// The engine's own: nothing is forgotten then.
    pub async fn recover(
        &self,
        region: &Arc<Region>,
        keeps_transient_data: bool,
    ) -> records::Result<Recovered> {
        let decided = region.coordinator.recover().await?;
        if decided > 0 && self.kind != StartKind::Initial {
            tracing::info!(target: "RM", "{decided} units of work are committed of which not all participants have heard");
        }
        let beginning = Beginning {
            is_cold: matches!(self.kind, StartKind::Initial | StartKind::Cold),
            keeps_transient_data,
        };
        if !beginning.is_cold {
            self.restore_definitions(region).await?;
        }
        Statuses::of(region).note(region);
        let is_warm = self.kind == StartKind::Warm;
        if !is_warm {
            self.begin_run(region, beginning).await?;
        }
        for keeper in keepers().filter(|keeper| (keeper.survives)(&beginning)) {
            let Some(store) = keeper.store else { continue };
            each(&region.records, store(&self.stores), |key, record| (keeper.recover)(region, key, record))
                .await?;
        }
        if is_warm {
            self.read_keypoint(region, beginning).await?;
            self.begin_run(region, beginning).await?;
        }
        for keeper in keepers().filter(|keeper| (keeper.survives)(&beginning)) {
            let Some(store) = keeper.store else { continue };
            for (key, record) in region.records.doubtful(store(&self.stores))? {
                (keeper.doubtful)(region, &key, record.as_deref());
            }
        }
        let indoubt = region.records.indoubt()?.len();
        let counted = keepers().filter_map(|keeper| keeper.count);
        let kept = counted.map(|(words, count)| (words, count(region))).collect();
        Ok(Recovered { kind: self.kind, kept, indoubt })
    }

    /// Repeats the effects of CREATE and DISCARD, and forgets those that the CSD texts have overtaken.
    async fn restore_definitions(&self, region: &Arc<Region>) -> records::Result<()> {
        let (mut kept, mut overtaken) = (0, Vec::new());
        each(&region.records, self.stores.definitions, |key, record| {
            if definitions::restore(region, key, record) {
                kept += 1;
            } else {
                overtaken.push(key.to_vec());
            }
        })
        .await?;
        if kept > 0 {
            tracing::info!(target: "RD", "{kept} resources are as CREATE and DISCARD have left them");
        }
        if overtaken.is_empty() {
            return Ok(());
        }
        let mut unit = region.records.begin(region.records.locks().new_owner());
        for key in overtaken {
            unit.delete(self.stores.definitions, &key).await?;
        }
        unit.commit().await
    }

    /// Gives each domain its records of the keypoint.
    async fn read_keypoint(&self, region: &Arc<Region>, beginning: Beginning) -> records::Result<()> {
        let keepers: Vec<&Keeper> = keepers().filter(|keeper| (keeper.survives)(&beginning)).collect();
        each(&region.records, self.stores.keypoint, |key, record| {
            let Some((letter, key)) = key.split_first() else { return };
            if let Some(keeper) = keepers.iter().find(|keeper| keeper.letter == *letter) {
                (keeper.restore)(region, key, record);
            }
        })
        .await
    }

    /// Forgets the state that this start does not keep, and notes that the region runs.
    async fn begin_run(&self, region: &Region, beginning: Beginning) -> records::Result<()> {
        let engine = &region.records;
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.empty_store(self.stores.keypoint)?;
        if beginning.is_cold {
            unit.empty_store(self.stores.definitions)?;
        }
        for keeper in keepers().filter(|keeper| !(keeper.survives)(&beginning)) {
            if let Some(store) = keeper.store {
                unit.empty_store(store(&self.stores))?;
            }
        }
        unit.put(self.stores.status, END, RUNNING).await?;
        unit.commit().await?;
        match self.kind {
            StartKind::Initial => forget_indoubt(region).await,
            StartKind::Cold | StartKind::Warm | StartKind::Emergency => Ok(()),
        }
    }
}

/// Backs out the indoubt units of work at an initial start, and forgets every decision, an operator's and its own.
async fn forget_indoubt(region: &Region) -> records::Result<()> {
    for decided in region.coordinator.decided() {
        region.coordinator.forget(&decided.unit).await?;
    }
    for unit in region.records.indoubt()? {
        match unit.standing {
            Standing::Forced(_) => region.records.forget(&unit.name).await?,
            Standing::Attended | Standing::Shunted => {
                region.records.resolve(&unit.name, Decision::Backout, Decider::Coordinator).await?;
            }
        }
    }
    Ok(())
}

/// Starts tasks from recovered work: STARTs count on, and queues at their trigger level are read. Called where the
/// timers of an event loop run.
pub fn release(region: &Arc<Region>) {
    keepers().for_each(|keeper| (keeper.release)(region));
}
