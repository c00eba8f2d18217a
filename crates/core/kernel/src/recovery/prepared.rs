//! A unit of work whose end another region decides: it is prepared, and ends when it hears how.

use std::sync::Arc;

use super::{Identity, UnitOfWork};
use crate::lines::often;
use crate::waits::WaitKind;

/// Everything that a unit of work would leave behind if its task ended now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remains {
    /// Nothing.
    Nothing,
    /// Locks, records held for update, browses.
    Holds,
    /// Changes, or something that is to be done at its end.
    Changes,
}

/// The answer to the question for a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepared {
    /// It has changed nothing.
    ReadOnly,
    /// It can end either way.
    Yes,
    /// It cannot commit.
    No,
}

impl UnitOfWork {
    /// Returns what it has changed or holds. Browses and reads for update are not its own: [`crate::task::Task::remains`].
    pub fn remains(&self) -> Remains {
        let is_changed = |changes: &Option<Box<dyn records::UnitOfWork>>| {
            changes.as_ref().is_some_and(|changes| !changes.is_clean())
        };
        let is_waited_for = !self.at_commit.is_empty() || !self.at_backout.is_empty();
        let has_others = !self.enlisted.is_empty() || !self.errands.is_empty();
        if is_changed(&self.changes) || is_changed(&self.tables) || is_waited_for || has_others {
            return Remains::Changes;
        }
        let elsewhere = self.changes.as_ref().is_some_and(|changes| changes.has_locks_elsewhere());
        match elsewhere || (self.holds.unit && !self.locks().held(self.owner).is_empty()) {
            true => Remains::Holds,
            false => Remains::Nothing,
        }
    }

    /// Makes its changes durable as in doubt, under the name that its coordinator gives it. Participants of its own vote first.
    pub(crate) async fn prepare(&mut self, coordinated_as: &[u8]) -> Prepared {
        match self.remains() {
            Remains::Nothing | Remains::Holds => return Prepared::ReadOnly,
            Remains::Changes if !self.errands.is_empty() => return Prepared::No,
            Remains::Changes => {}
        }
        if !self.enlisted.is_empty()
            && let Some(vote) = self.prepare_others().await
        {
            return vote;
        }
        let name = Identity { coordinated_as: coordinated_as.to_vec(), ..self.identity() }.to_name();
        let Some(changes) = &mut self.changes else { return Prepared::Yes };
        // It may become in doubt nevertheless if no task waits for the answer: a purge comes behind it.
        match self.control.wait_through(WaitKind::LOG, changes.prepare(&name)).await {
            Ok(()) => Prepared::Yes,
            Err(error) => {
                often!(error, target: "RM", "task {}: it cannot be prepared: {error}", self.control.number);
                Prepared::No
            }
        }
    }

    /// Has its participants vote, and puts the decision among its own changes. Returns its own vote if that is certain by now.
    async fn prepare_others(&mut self) -> Option<Prepared> {
        let (unit, note) = (self.name(), self.identity().to_name());
        let (enlisted, coordinator) =
            (std::mem::take(&mut self.enlisted), Arc::clone(&self.region.coordinator));
        let control = Arc::clone(&self.control);
        // Until it has voted itself, a purge backs it out.
        let asked = control.wait(WaitKind::PARTICIPANT, coordinator.ask_for_votes(&unit, enlisted)).await;
        self.voted = match asked {
            Err(_) => return Some(Prepared::No),
            Ok(Err(telling)) => {
                self.settle(telling).await;
                return Some(Prepared::No);
            }
            Ok(Ok(voted)) => voted,
        };
        if self.voted.is_empty() {
            return (self.remains() != Remains::Changes).then_some(Prepared::ReadOnly);
        }
        let voted = self.voted.clone();
        match coordinator.put_decision(self.changes(), &unit, note, &voted).await {
            Ok(()) => None,
            Err(error) => {
                often!(error, target: "RM", "task {}: it cannot be prepared: {error}", control.number);
                Some(Prepared::No)
            }
        }
    }

    /// Leaves its changes in doubt, with their locks: the task ends, and the coordinator says later how they end.
    pub(crate) fn shunt(&mut self) {
        // Its participants hear how it ends when this region has heard it.
        self.voted.clear();
        self.at_commit.clear();
        self.undo();
        self.tables = None;
        self.changes = None;
        self.release_locks();
    }
}
