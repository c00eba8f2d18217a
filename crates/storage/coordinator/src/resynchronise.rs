//! Resynchronisation: what was left in doubt hears how it ends.

use std::collections::BTreeSet;
use std::sync::Arc;

use records::{Answer, Decision};

use crate::coordinator::Coordinator;
use crate::ending::tell_damage;
use crate::participant::{Answered, Participant, UnitName};
use crate::results::Resynchronised;
use crate::together::together;

impl Coordinator {
    /// Tells all participants that can be reached, and that may be in doubt, what was decided; and forgets what all have
    /// heard. True: some could not be reached, or were put off, and it is worthwhile to do so again.
    ///
    /// To be called when a participant was introduced, and every now and then; or what it consists of, one by one, so that a
    /// participant that takes its time keeps no other from being asked again meanwhile.
    pub async fn resynchronise_all(&self) -> bool {
        self.forget_heard().await;
        let concerned = self.concerned();
        let again = concerned.iter().map(|participant| {
            Answer::later(async move { self.resynchronise(&**participant).await.is_none() })
        });
        together(again.collect()).await.contains(&true)
    }

    /// The participants that can be reached and may be in doubt, and that no task tells or asks just now.
    pub fn concerned(&self) -> Vec<Arc<dyn Participant>> {
        let mut known = self.known();
        self.with_decisions(|decisions| known.retain(|participant| decisions.concerns(participant.name())));
        known
    }

    /// Forgets the decisions of which all have heard, and that could not be forgotten then.
    pub async fn forget_heard(&self) {
        for unit in self.with_decisions(|decisions| decisions.heard_by_all()) {
            self.erase_heard(&unit).await;
        }
    }

    /// Tells a participant what was decided, and resolves what is in doubt there. `None`: it does not answer, or some of it
    /// is not decided yet.
    pub async fn resynchronise(&self, participant: &dyn Participant) -> Option<Resynchronised> {
        let name = participant.name();
        // Before it is asked: if it becomes suspicious meanwhile it is asked again.
        let backed_out = self.with_decisions(|decisions| decisions.clear(name));
        let mut asking = Asking { coordinator: self, name, backed_out, is_over: false };
        let done = self.resolve(participant, &asking.backed_out).await;
        asking.is_over = done.is_some();
        done
    }

    async fn resolve(
        &self,
        participant: &dyn Participant,
        backed_out: &BTreeSet<UnitName>,
    ) -> Option<Resynchronised> {
        let (mut done, mut all) = (Resynchronised::default(), true);
        for unit in self.with_decisions(|decisions| decisions.waiting_for(participant.name())) {
            all &= self.tell(participant, &unit, Decision::Commit, &mut done).await?;
        }
        for unit in backed_out {
            all &= self.tell(participant, unit, Decision::Backout, &mut done).await?;
        }
        for unit in participant.indoubt().await? {
            match self.decision(&unit) {
                Some(decision) => all &= self.tell(participant, &unit, decision, &mut done).await?,
                None => all = false,
            }
        }
        self.resolve_own(participant, &mut done).await?;
        all.then_some(done)
    }

    /// Returns true if the participant has heard it; `None`: it does not answer.
    async fn tell(
        &self,
        participant: &dyn Participant,
        unit: &UnitName,
        decision: Decision,
        done: &mut Resynchronised,
    ) -> Option<bool> {
        let (answered, count) = match decision {
            Decision::Commit => (participant.commit(unit).await, &mut done.committed),
            Decision::Backout => (participant.backout(unit).await, &mut done.backed_out),
        };
        match answered {
            Answered::Done => *count += 1,
            Answered::Otherwise(made) => {
                done.otherwise += 1;
                tell_damage(unit, participant.name(), made);
                if participant.forget(unit).await == Answered::Unreachable {
                    return None;
                }
            }
            Answered::NotNow => return Some(false),
            Answered::Unreachable => return None,
        }
        if self.heard(unit, participant.name()) {
            self.erase_heard(unit).await;
        }
        Some(true)
    }

    /// Forgets a decision of which all have heard. If that fails, the next resynchronisation tries again.
    async fn erase_heard(&self, unit: &UnitName) {
        if self.erase(unit).await.is_ok() {
            self.with_decisions(|decisions| decisions.forget(unit));
        }
    }
}

/// A participant that is being asked. If it does not answer, or no task waits for it any more, it is asked again.
struct Asking<'a> {
    coordinator: &'a Coordinator,
    name: &'a str,
    /// Units of work that it should hear were backed out.
    backed_out: BTreeSet<UnitName>,
    is_over: bool,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.coordinator.with_decisions(|decisions| {
            decisions.is_over(self.name);
            if !self.is_over {
                decisions.suspect(self.name);
                self.backed_out.iter().for_each(|unit| decisions.suspect_of(self.name, unit));
            }
        });
    }
}
