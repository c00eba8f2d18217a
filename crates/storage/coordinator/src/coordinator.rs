//! The coordinator of a region: its decisions, and the participants that it can reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use records::{Answer, Batch, Decision, Direction, Engine, Origin, Result, StoreId};

use crate::decisions::{Decided, Decisions};
use crate::gate::{Gate, Still};
use crate::news::UnderWay;
use crate::participant::{Participant, UnitName};

/// Limits of a coordinator.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Decisions that are about to be made, or of which not all participants have heard. Beyond them, units of work with
    /// several participants are backed out.
    pub decisions: usize,
}

/// Decisions that are read from the store at a time.
const STEP: usize = 256;

/// The coordinator.
pub struct Coordinator {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) store: StoreId,
    limits: Limits,
    decisions: Mutex<Decisions>,
    participants: Mutex<BTreeMap<String, Arc<dyn Participant>>>,
    /// Own changes that are being prepared for a last resource, of tasks that were cut off.
    pub(crate) abandoned: Mutex<Vec<UnderWay>>,
    pub(crate) gate: Gate,
}

impl Coordinator {
    /// A coordinator that keeps its decisions in a store of a record engine. It has the store for itself.
    pub fn new(engine: Arc<dyn Engine>, store: StoreId, limits: Limits) -> Arc<Self> {
        let (decisions, participants, abandoned, gate) = Default::default();
        Arc::new(Self { engine, store, limits, decisions, participants, abandoned, gate })
    }

    /// Reads what former runs have decided: how many decisions wait for participants. No participant may ask for a decision before.
    ///
    /// # Errors
    /// The engine's own.
    pub async fn recover(&self) -> Result<usize> {
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let (mut batch, mut last): (Batch, Option<Vec<u8>>) = Default::default();
        loop {
            let origin = last.as_deref().map_or(Origin::Start, Origin::Beyond);
            unit.range(self.store, origin, Direction::Forward, STEP, &mut batch).await?;
            for (name, record) in batch.iter() {
                match Decided::from_bytes(name, record) {
                    Some(decided) => self.decisions.lock().decide(decided),
                    None => tracing::error!(target: "RM", "a decision of a coordinator cannot be read"),
                }
            }
            match batch.last() {
                Some((name, _)) if batch.len() == STEP => last = Some(name.to_vec()),
                _ => {
                    let count = self.decisions.lock().count();
                    self.recover_undecided()?;
                    return Ok(count);
                }
            }
        }
    }

    /// A participant can be reached from now on. It is asked what is in doubt there when [`Self::resynchronise_all`] is
    /// called next.
    pub fn introduce(&self, participant: Arc<dyn Participant>) {
        self.decisions.lock().suspect(participant.name());
        self.participants.lock().insert(participant.name().to_owned(), participant);
    }

    /// Waits until no unit of work with participants is at its end. Until the result is dropped none ends: those that come wait,
    /// with their locks. What was left in doubt may still hear how it ends; [`Self::waits_for`] tells of it.
    pub async fn still(&self) -> Still {
        self.gate.close().await
    }

    /// Answer to a participant that asks about a unit of work in which it is in doubt: a decision; or `None`, since
    /// there is none yet, and it asks again later. A unit of work that is not known is backed out.
    pub fn decision(&self, unit: &UnitName) -> Option<Decision> {
        self.decisions.lock().decision(unit)
    }

    /// The decisions of which not all participants have heard, by the names of their units of work.
    pub fn decided(&self) -> Vec<Decided> {
        self.decisions.lock().list()
    }

    /// Gives up a participant that will never hear of a decision; the last one takes the decision with it, and would back out
    /// if it came back in doubt after all. False: it does not wait for this decision.
    ///
    /// # Errors
    /// The engine's own: it is not given up then.
    pub async fn give_up(&self, unit: &UnitName, participant: &str) -> Result<bool> {
        let decided = self.with_decisions(|decisions| decisions.get(unit).cloned());
        let Some(mut decided) = decided.filter(|decided| decided.waits_for(participant)) else {
            return Ok(false);
        };
        decided.waiting.retain(|waiting| waiting != participant);
        if decided.waiting.is_empty() {
            self.forget(unit).await?;
            return Ok(true);
        }
        let mut own = self.engine.begin(self.engine.locks().new_owner());
        own.put(self.store, unit.as_bytes(), &decided.to_bytes()).await?;
        own.commit_unforced().await?;
        self.heard(unit, participant);
        Ok(true)
    }

    /// Forgets a decision, whichever participants have not heard of it: a participant that comes back in doubt backs out.
    /// For participants that will never come back.
    ///
    /// # Errors
    /// The engine's own: it is not forgotten then.
    pub async fn forget(&self, unit: &UnitName) -> Result<()> {
        self.erase(unit).await?;
        if let Some(Decided { waiting, .. }) = self.decisions.lock().forget(unit) {
            for participant in waiting {
                tracing::warn!(target: "RM", "unit of work {unit}: {participant} never hears that it was committed");
            }
        }
        Ok(())
    }

    /// Returns true if there is room for one more decision; it is about to be made then.
    pub(crate) fn begin(&self, unit: &UnitName) -> bool {
        let mut decisions = self.decisions.lock();
        let has_room = decisions.count() < self.limits.decisions;
        if has_room {
            decisions.begin(unit);
        }
        has_room
    }

    /// A participant has heard of a decision. True: it was the last.
    pub(crate) fn heard(&self, unit: &UnitName, participant: &str) -> bool {
        self.with_decisions(|decisions| decisions.heard(unit, participant))
    }

    pub(crate) fn with_decisions<T>(&self, action: impl FnOnce(&mut Decisions) -> T) -> T {
        action(&mut self.decisions.lock())
    }

    /// Those that can be reached.
    pub(crate) fn known(&self) -> Vec<Arc<dyn Participant>> {
        self.participants.lock().values().cloned().collect()
    }

    /// Deletes the record of a decision. It is not forced: a decision that a crash brings back is sent once more, and heard
    /// twice.
    pub(crate) fn erase(&self, unit: &UnitName) -> Answer<'static, Result<()>> {
        let mut own = self.engine.begin(self.engine.locks().new_owner());
        let (store, unit) = (self.store, unit.clone());
        Answer::later(async move {
            own.delete(store, unit.as_bytes()).await?;
            own.commit_unforced().await
        })
    }
}
