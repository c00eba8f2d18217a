//! Bringing back what a start keeps.

use std::fmt;
use std::sync::Arc;

use records::{Decider, Decision, Standing};

use super::{END, RUNNING, Restart, Section, StartKind, each};
use crate::definitions::{self, Statuses};
use domains::counters::Counters;
use domains::interval::IntervalControl;
use domains::temporary_storage::TemporaryStorage;
use domains::transient_data::TransientData;
use kernel::region::Region;

/// What a start has brought back.
#[derive(Clone, Copy, Debug)]
pub struct Recovered {
    /// What the start was.
    pub kind: StartKind,
    /// Queues of temporary storage.
    pub temporary_storage: usize,
    /// Intrapartition queues that are not empty.
    pub transient_data: usize,
    /// Pending STARTs.
    pub starts: usize,
    /// Resources whose status was set by command.
    pub statuses: usize,
    /// Units of work that are in doubt.
    pub indoubt: usize,
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, temporary_storage, transient_data, starts, statuses, indoubt } = self;
        write!(
            f,
            "the start is {kind}; recovered: {temporary_storage} TS queues, {transient_data} TD queues, \
             {starts} STARTs, {statuses} statuses, {indoubt} units of work in doubt"
        )
    }
}

impl Restart {
    /// Brings back what this start keeps, forgets the rest, and notes that the region runs. Definitions are installed by
    /// now; no task runs before [`release`].
    ///
    /// # Errors
    /// The engine's own: nothing is forgotten then.
    pub async fn recover(
        &self,
        region: &Arc<Region>,
        keep_transient_data: bool,
    ) -> records::Result<Recovered> {
        let decided = region.coordinator.recover().await?;
        if decided > 0 && self.kind != StartKind::Initial {
            tracing::info!(target: "RM", "{decided} units of work are committed of which not all participants have heard");
        }
        let (engine, stores, is_warm) = (&region.records, &self.stores, self.kind == StartKind::Warm);
        if matches!(self.kind, StartKind::Warm | StartKind::Emergency) {
            self.restore_definitions(region).await?;
        }
        Statuses::of(region).note(region);
        if !is_warm {
            self.begin_run(region, keep_transient_data).await?;
        }
        each(engine, stores.temporary_storage, |key, record| {
            TemporaryStorage::of(region).recover(key, record)
        })
        .await?;
        if keep_transient_data {
            each(engine, stores.transient_data, |key, _| TransientData::of(region).recover(key)).await?;
        }
        each(engine, stores.starts, |key, record| IntervalControl::of(region).recover(region, key, record))
            .await?;
        each(engine, stores.counters, |_, _| Counters::of(region).found()).await?;
        let mut statuses = 0;
        if is_warm {
            statuses = self.read_keypoint(region, keep_transient_data).await?;
            self.begin_run(region, keep_transient_data).await?;
        }
        let indoubt = engine.indoubt()?.len();
        if indoubt > 0 {
            TransientData::of(region).suspect();
        }
        Ok(Recovered {
            kind: self.kind,
            temporary_storage: TemporaryStorage::of(region).count(),
            transient_data: TransientData::of(region).filled(),
            starts: IntervalControl::of(region).held(),
            statuses,
            indoubt,
        })
    }

    /// Does again what CREATE and DISCARD have done, and forgets what the CSD texts have overtaken.
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

    /// How many statuses there were.
    async fn read_keypoint(&self, region: &Arc<Region>, keep_transient_data: bool) -> records::Result<usize> {
        let mut statuses = 0;
        each(&region.records, self.stores.keypoint, |key, record| {
            let Some((letter, key)) = key.split_first() else { return };
            match Section::of(*letter) {
                Some(Section::TemporaryStorage) => TemporaryStorage::of(region).restore(key, record),
                Some(Section::TransientData) if keep_transient_data => {
                    TransientData::of(region).restore(key, record)
                }
                Some(Section::Starts) => IntervalControl::of(region).restore(region, key, record),
                Some(Section::Statuses) => {
                    statuses += usize::from(Statuses::of(region).restore(region, key, record))
                }
                Some(Section::TransientData) | None => {}
            }
        })
        .await?;
        Ok(statuses)
    }

    async fn begin_run(&self, region: &Region, keep_transient_data: bool) -> records::Result<()> {
        let engine = &region.records;
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.empty_store(self.stores.keypoint)?;
        let forgets = matches!(self.kind, StartKind::Initial | StartKind::Cold);
        if forgets {
            unit.empty_store(self.stores.temporary_storage)?;
            unit.empty_store(self.stores.starts)?;
            unit.empty_store(self.stores.definitions)?;
        }
        if forgets || !keep_transient_data {
            unit.empty_store(self.stores.transient_data)?;
        }
        unit.put(self.stores.status, END, RUNNING).await?;
        unit.commit().await?;
        match self.kind {
            StartKind::Initial => forget_indoubt(region).await,
            StartKind::Cold | StartKind::Warm | StartKind::Emergency => Ok(()),
        }
    }
}

/// An initial start backs out what is in doubt, and remembers no decision, neither an operator's nor its own.
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

/// Lets tasks come of what was recovered: STARTs count on, and queues at their trigger level are read. Called where the
/// timers of an event loop run.
pub fn release(region: &Arc<Region>) {
    IntervalControl::of(region).release(region);
    domains::transient_data::trigger_all(region);
}
