//! A unit of work of which an event was not emitted: it cannot be committed.

use coordinator::{Answered, OnePhase, Participant, UnitName, Vote};
use records::Answer;

/// Votes against it.
pub(super) struct NotEmitted;

/// Its name as a participant.
const NAME: &str = "an event that was not emitted";

impl Participant for NotEmitted {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare(&self, _: &UnitName) -> Answer<'static, Vote> {
        Answer::ready(Vote::No)
    }

    fn commit_one_phase(&self, _: &UnitName) -> Answer<'static, OnePhase> {
        Answer::ready(OnePhase::BackedOut)
    }

    fn commit(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn backout(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn forget(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        Answer::ready(Some(Vec::new()))
    }
}
