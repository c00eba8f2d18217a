//! A unit of work that another region decides about and that has participants of its own here: this region asks them for their votes
//! before it votes itself, and passes the decision on.
//!
//! Own changes are made in doubt together with the record of the decision to commit: when they commit, the decision is there, in the
//! same group of the log; when they are backed out, it never was. Until then the unit of work is undecided here, over restarts, and
//! participants that ask are put off.

use std::sync::Arc;

use records::{Decision, Resolved, Result, UnitOfWork};

use crate::coordinator::Coordinator;
use crate::decisions::Decided;
use crate::ending::Ending;
use crate::participant::{Participant, UnitName, Vote};
use crate::together::together;

/// Participants that have voted yes.
pub type Voters = Vec<Arc<dyn Participant>>;

impl Coordinator {
    /// Asks participants for their votes: those that are in doubt now. The unit of work is undecided until [`Self::passes_on`],
    /// [`Self::takes_back`] or [`Self::resolved`].
    ///
    /// # Errors
    /// One has refused, or there is no room for a decision: the participants that are still to hear that it is backed out.
    pub async fn ask_for_votes(
        self: &Arc<Self>,
        unit: &UnitName,
        participants: Voters,
    ) -> std::result::Result<Voters, Box<Ending>> {
        let back_out = |participants| Box::new(self.backout(unit.clone(), None, participants));
        if !self.begin(unit) {
            return Err(back_out(participants));
        }
        let mut asking = Asking { coordinator: self, unit, participants, is_over: false };
        let (readers, writers): (Voters, Voters) =
            asking.participants.iter().cloned().partition(|participant| participant.is_read_only(unit));
        for reader in readers {
            // It has changed nothing, and lets go of the unit of work whenever it hears this.
            let _ = reader.forget(unit).await;
        }
        let votes = together(writers.iter().map(|participant| participant.prepare(unit)).collect()).await;
        asking.is_over = true;
        let is_refused = votes.iter().any(|vote| matches!(vote, Vote::No | Vote::Unreachable));
        let voted = |wanted: &[Vote]| {
            let both = writers.iter().zip(&votes);
            both.filter(|(_, vote)| wanted.contains(vote)).map(|(one, _)| Arc::clone(one)).collect::<Voters>()
        };
        if is_refused {
            self.with_decisions(|decisions| decisions.drop_undecided(unit));
            return Err(back_out(voted(&[Vote::Yes, Vote::Unreachable])));
        }
        let yes = voted(&[Vote::Yes]);
        if yes.is_empty() {
            self.with_decisions(|decisions| decisions.drop_undecided(unit));
        }
        Ok(yes)
    }

    /// Puts the decision to commit among the changes that are about to be made in doubt.
    ///
    /// # Errors
    /// The engine's own.
    pub async fn put_decision(
        &self,
        own: &mut dyn UnitOfWork,
        unit: &UnitName,
        note: Vec<u8>,
        voters: &Voters,
    ) -> Result<()> {
        let decided = decided(unit, note, voters);
        own.put(self.store, unit.as_bytes(), &decided.to_bytes()).await
    }

    /// Own changes, and the decision among them, are committed: tells those that have voted.
    pub fn passes_on(self: &Arc<Self>, unit: UnitName, note: Vec<u8>, voters: Voters) -> Ending {
        self.with_decisions(|decisions| decisions.decide(decided(&unit, note, &voters)));
        Ending::tell(Arc::clone(self), unit, voters)
    }

    /// Own changes are backed out: tells those that have voted.
    pub fn takes_back(self: &Arc<Self>, unit: UnitName, voters: Voters) -> Ending {
        self.with_decisions(|decisions| decisions.drop_undecided(&unit));
        self.backout(unit, None, voters)
    }

    /// A unit of work in doubt has ended without its task. Those that have voted hear of it by resynchronisation.
    pub fn resolved(&self, resolved: &Resolved) {
        for change in resolved.of_store(self.store) {
            let unit = UnitName::new(&change.key);
            let decided =
                change.record.as_deref().and_then(|record| Decided::from_bytes(&change.key, record));
            let Some(decided) = decided else { continue };
            self.with_decisions(|decisions| match resolved.decision {
                Decision::Commit => decisions.decide(decided),
                Decision::Backout => {
                    decisions.drop_undecided(&unit);
                    decided.waiting.iter().for_each(|voter| decisions.suspect_of(voter, &unit));
                }
            });
        }
    }

    /// Notes the units of work in doubt that a former run has left undecided.
    pub(crate) fn recover_undecided(&self) -> Result<()> {
        let doubtful = self.engine.doubtful(self.store)?;
        self.with_decisions(|decisions| {
            doubtful.iter().for_each(|(unit, _)| decisions.begin(&UnitName::new(unit)));
        });
        Ok(())
    }
}

fn decided(unit: &UnitName, note: Vec<u8>, voters: &Voters) -> Decided {
    Decided::new(unit.clone(), note, voters.iter().map(|voter| voter.name().to_owned()).collect())
}

/// Participants that are being asked. If no task waits for their votes any more, the unit of work is backed out.
struct Asking<'a> {
    coordinator: &'a Coordinator,
    unit: &'a UnitName,
    participants: Voters,
    is_over: bool,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.coordinator.with_decisions(|decisions| {
                decisions.drop_undecided(self.unit);
                self.participants.iter().for_each(|one| decisions.suspect_of(one.name(), self.unit));
            });
        }
    }
}
