//! A participant that stands for a unit of work which cannot be committed any more.

use records::Answer;

use crate::participant::{Answered, OnePhase, Participant, UnitName, Vote};

/// Takes part in such units of work, and votes against them. It has no changes of its own; its name says why.
#[derive(Debug)]
pub struct Refusing(pub &'static str);

impl Participant for Refusing {
    fn name(&self) -> &str {
        self.0
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
