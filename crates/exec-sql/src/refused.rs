//! A unit of work that was refused a thread (THREADERROR): its SQL gets -906 until SYNCPOINT ROLLBACK, and it cannot be committed.

use coordinator::{Answered, OnePhase, Participant, UnitName, Vote};
use records::Answer;

/// Takes part in such units of work in the server's place, and votes against them.
#[derive(Default)]
pub(crate) struct WithoutThread;

impl Participant for WithoutThread {
    fn name(&self) -> &str {
        "DB2 without a thread"
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
