//! A participant that is a model: what it has is in two places, one of which outlives its death.

use std::collections::{BTreeMap, BTreeSet};

use coordinator::{Answered, Fate, OnePhase, UnitName, Vote};
use records::Decision;

use crate::network::{Message, Reply, Request};
use crate::site::Site;

/// One answer of so many is a refusal, where a participant may refuse.
const REFUSES: u64 = 8;

pub struct Model {
    chance: u64,
    changing: BTreeSet<UnitName>,
    reading: BTreeSet<UnitName>,
    durable: Durable,
}

#[derive(Default)]
struct Durable {
    indoubt: BTreeSet<UnitName>,
    committed: BTreeSet<UnitName>,
    forced: BTreeMap<UnitName, Decision>,
}

impl Model {
    pub fn new(seed: u64) -> Self {
        let chance = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { chance, changing: BTreeSet::new(), reading: BTreeSet::new(), durable: Durable::default() }
    }

    fn refuses(&mut self) -> bool {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance >> 11).is_multiple_of(REFUSES)
    }

    fn prepare(&mut self, unit: &UnitName) -> Vote {
        if self.reading.remove(unit) {
            Vote::ReadOnly
        } else if self.changing.remove(unit) {
            if self.refuses() {
                return Vote::No;
            }
            self.durable.indoubt.insert(unit.clone());
            Vote::Yes
        } else if self.durable.indoubt.contains(unit) {
            Vote::Yes
        } else {
            // It has died since, or was told to back out.
            Vote::No
        }
    }

    fn commit_one_phase(&mut self, unit: &UnitName) -> OnePhase {
        if !self.changing.remove(unit) || self.refuses() {
            return OnePhase::BackedOut;
        }
        self.durable.committed.insert(unit.clone());
        OnePhase::Committed
    }

    /// It shows its name; now and then it wants to vote.
    fn evidence(&mut self, unit: &UnitName) -> Option<Vec<u8>> {
        let can = self.changing.contains(unit) && !self.refuses();
        can.then(|| unit.as_bytes().to_vec())
    }

    /// Backs out a unit of work that is still open, so that it cannot be committed later.
    fn fate(&mut self, unit: &UnitName) -> Fate {
        if self.durable.committed.contains(unit) {
            return Fate::Committed;
        }
        self.changing.remove(unit);
        Fate::BackedOut
    }

    fn end(&mut self, unit: &UnitName, decision: Decision) -> Answered {
        let never_asked = self.changing.remove(unit);
        assert!(!never_asked || decision == Decision::Backout, "{unit} commits, and was not prepared");
        self.reading.remove(unit);
        match self.durable.forced.get(unit) {
            Some(forced) if *forced != decision => return Answered::Otherwise(*forced),
            _ => self.durable.forced.remove(unit),
        };
        if self.durable.indoubt.remove(unit) && decision == Decision::Commit {
            self.durable.committed.insert(unit.clone());
        }
        Answered::Done
    }

    fn forget(&mut self, unit: &UnitName) -> Answered {
        self.reading.remove(unit);
        self.durable.forced.remove(unit);
        Answered::Done
    }
}

impl Site for Model {
    fn write(&mut self, unit: &UnitName) -> bool {
        self.changing.insert(unit.clone());
        true
    }

    fn read(&mut self, unit: &UnitName) {
        self.reading.insert(unit.clone());
    }

    fn receive(&mut self, message: Message) -> Option<Message> {
        let Message { unit, request, slot, .. } = message;
        slot.put(match request {
            Request::Prepare => Reply::Vote(self.prepare(&unit)),
            Request::Evidence => Reply::Evidence(self.evidence(&unit)),
            Request::Fate => Reply::Fate(self.fate(&unit)),
            Request::CommitOnePhase => Reply::OnePhase(self.commit_one_phase(&unit)),
            Request::Commit => Reply::Answered(self.end(&unit, Decision::Commit)),
            Request::Backout => Reply::Answered(self.end(&unit, Decision::Backout)),
            Request::Forget => Reply::Answered(self.forget(&unit)),
            Request::Indoubt => Reply::Indoubt(Some(self.indoubt())),
        });
        None
    }

    fn work(&mut self) {}

    fn die(&mut self) {
        self.changing.clear();
        self.reading.clear();
    }

    fn force(&mut self, decision: Decision) -> Option<UnitName> {
        let unit = self.durable.indoubt.pop_first()?;
        if decision == Decision::Commit {
            self.durable.committed.insert(unit.clone());
        }
        self.durable.forced.insert(unit.clone(), decision);
        Some(unit)
    }

    fn indoubt(&mut self) -> Vec<UnitName> {
        self.durable.indoubt.iter().chain(self.durable.forced.keys()).cloned().collect()
    }

    fn has(&mut self, unit: &UnitName) -> bool {
        self.durable.committed.contains(unit)
    }
}
