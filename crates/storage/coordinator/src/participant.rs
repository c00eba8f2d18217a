//! The participants of a unit of work, as their coordinator sees them.

use std::fmt;
use std::sync::Arc;

use records::{Answer, Decision};

/// The name of a unit of work, the same for all who take part in it. No other unit ever has it: that is what makes the
/// absence of a decision a decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitName(Arc<[u8]>);

impl UnitName {
    /// A name by its bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// Answers of a participant to *prepare*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// It can commit and it can back out, whatever happens to it: it is in doubt from here on.
    Yes,
    /// It cannot commit, and has backed out.
    No,
    /// It has changed nothing, and has ended: it need not hear of the decision.
    ReadOnly,
    /// No answer came. It may be in doubt, or know nothing of the unit of work.
    Unreachable,
}

/// The outcome of a unit of work whose only participant decides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnePhase {
    /// Its changes stay.
    Committed,
    /// They are undone.
    BackedOut,
    /// No answer came: one or the other.
    Unknown,
}

/// Answers of a participant to a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It has ended the unit of work so, durably; or it knows nothing of it any more, having done so before.
    Done,
    /// Its operator has ended the unit of work otherwise. It remembers that until [`Participant::forget`].
    Otherwise(Decision),
    /// It has answered, and cannot end this one just now: others perhaps.
    NotNow,
    /// No answer came.
    Unreachable,
}

impl Answered {
    /// Returns true if it has ended the unit of work, one way or the other.
    pub(crate) fn is_heard(self) -> bool {
        !matches!(self, Self::NotNow | Self::Unreachable)
    }
}

/// Fates of a unit of work that a participant was to commit in one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its changes stay.
    Committed,
    /// They are undone, or never will be committed.
    BackedOut,
    /// No answer came, or it has not ended yet: to be asked again.
    Unreachable,
    /// It will never know, for this reason: an operator has to find out.
    Unknowable(String),
}

/// Something that has changes in units of work of this region: a database, another region.
///
/// One value stands for it in all units of work, and for as long as the region runs; which one is meant, the name of the
/// unit says. Every answer comes: a participant that does not hear from its other end within a time of its own answers
/// *unreachable*. An order may come twice, and after the unit of work has ended. A participant that is in doubt keeps its
/// changes and its locks over restarts, until it hears a decision; if it hears none for long it asks
/// ([`crate::Coordinator::decision`]), or is introduced once more ([`crate::Coordinator::introduce`]).
pub trait Participant: Send + Sync {
    /// Its name: the same over restarts, and no other participant's.
    fn name(&self) -> &str;

    /// Returns true if it is known to have changed nothing in the unit of work. One that says so has no vote.
    fn is_read_only(&self, unit: &UnitName) -> bool {
        let _ = unit;
        false
    }

    /// First phase: makes the changes durable as in doubt, and votes.
    fn prepare(&self, unit: &UnitName) -> Answer<'static, Vote>;

    /// Commits without a first phase: it is the only one with changes, or the last resource, so that it decides itself.
    fn commit_one_phase(&self, unit: &UnitName) -> Answer<'static, OnePhase>;

    /// Evidence by which [`Self::fate`] finds out the fate of the unit of work after any death: with it, it can be
    /// the last resource, which commits in one phase behind all others. `None`: it has to vote. At most 255 bytes.
    fn evidence(&self, unit: &UnitName) -> Answer<'static, Option<Vec<u8>>> {
        let _ = unit;
        Answer::ready(None)
    }

    /// Fate of a unit of work that it was to commit in one phase, by its evidence. No task waits for its end any
    /// more: one that is still open is backed out, so that the answer is final.
    fn fate(&self, unit: &UnitName, evidence: &[u8]) -> Answer<'static, Fate> {
        let _ = (unit, evidence);
        Answer::ready(Fate::Unknowable(String::from("it has no evidence")))
    }

    /// Second phase: the decision is commit.
    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered>;

    /// Backs out, whether it was prepared or not.
    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered>;

    /// The unit of work is over for the coordinator, too: a participant that only read lets go of it, one whose operator has
    /// decided need not remember that any longer. The end of own changes behind a last resource is in the log then, and not
    /// forced: its evidence is needed until own changes of a later unit of work were prepared.
    fn forget(&self, unit: &UnitName) -> Answer<'static, Answered>;

    /// The units of work of this coordinator that are in doubt there, and those that an operator has ended; `None`: no
    /// answer came.
    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>>;
}
