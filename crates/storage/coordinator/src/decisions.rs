//! Decisions of a coordinator, made and under way.
//!
//! A decision is a record, written with the changes that it is about, and deleted when all participants have heard of it.
//! Only decisions to commit are kept: what is neither decided nor about to be is backed out.
//!
//! ```text
//! decision    = since:8 note:bytes participant:bytes*       since: milliseconds from 1970 on
//! bytes       = length:4 byte*
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use records::Decision;

use crate::participant::UnitName;

/// A decision to commit of which not all participants have heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Which unit of work it is about.
    pub unit: UnitName,
    /// Note that its task has left for displays.
    pub note: Vec<u8>,
    /// When it was made, to the millisecond.
    pub since: SystemTime,
    /// Those that have not heard of it. None: it is about to be forgotten.
    pub waiting: Vec<String>,
}

impl Decided {
    pub(crate) fn new(unit: UnitName, note: Vec<u8>, waiting: Vec<String>) -> Self {
        // As it will be read again.
        let since = millis(SystemTime::now());
        Self { unit, note, since: UNIX_EPOCH + Duration::from_millis(since), waiting }
    }

    /// Returns true if a participant has not heard of it.
    pub(crate) fn waits_for(&self, participant: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting == participant)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = millis(self.since).to_be_bytes().to_vec();
        let names = self.waiting.iter().map(String::as_bytes);
        for field in std::iter::once(self.note.as_slice()).chain(names) {
            bytes.extend((field.len() as u32).to_be_bytes());
            bytes.extend(field);
        }
        bytes
    }

    /// `None`: the record is no decision.
    pub(crate) fn from_bytes(unit: &[u8], bytes: &[u8]) -> Option<Self> {
        let (since, mut rest) = bytes.split_first_chunk::<8>()?;
        let since = UNIX_EPOCH + Duration::from_millis(u64::from_be_bytes(*since));
        let note = take(&mut rest)?.to_vec();
        let mut waiting = Vec::new();
        while !rest.is_empty() {
            waiting.push(String::from_utf8(take(&mut rest)?.to_vec()).ok()?);
        }
        Some(Self { unit: UnitName::new(unit), note, since, waiting })
    }
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (taken, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    *bytes = rest;
    Some(taken)
}

/// A coordinator's knowledge of units of work.
#[derive(Default)]
pub(crate) struct Decisions {
    /// Those that are about to be decided. One whose decision may or may not be in the log stays here until the next start.
    undecided: HashSet<UnitName>,
    decided: BTreeMap<UnitName, Decided>,
    /// Participants that may have changes or be in doubt without a decision waiting for them, and the units of work that
    /// are known to be backed out of which they have not heard.
    suspects: BTreeMap<String, BTreeSet<UnitName>>,
    /// Participants that are being told and asked, and how often at a time.
    asked: BTreeMap<String, usize>,
}

/// Units of work that are backed out and that a suspect has not heard of: of more it is asked.
const SUSPICIONS_MAX: usize = 1000;

impl Decisions {
    /// Number of decisions, made or not.
    pub fn count(&self) -> usize {
        self.undecided.len() + self.decided.len()
    }

    /// Participants are about to be asked.
    pub fn begin(&mut self, unit: &UnitName) {
        self.undecided.insert(unit.clone());
    }

    /// The decision is durable, or was found at the start.
    pub fn decide(&mut self, decided: Decided) {
        self.undecided.remove(&decided.unit);
        self.decided.insert(decided.unit.clone(), decided);
    }

    /// It will never commit, or no participant has to hear of it.
    pub fn drop_undecided(&mut self, unit: &UnitName) {
        self.undecided.remove(unit);
    }

    /// Answer to a participant in doubt; `None`: not yet.
    pub fn decision(&self, unit: &UnitName) -> Option<Decision> {
        if self.undecided.contains(unit) {
            return None;
        }
        Some(if self.decided.contains_key(unit) { Decision::Commit } else { Decision::Backout })
    }

    /// A participant has heard of the decision. True: it was the last.
    pub fn heard(&mut self, unit: &UnitName, participant: &str) -> bool {
        let Some(decided) = self.decided.get_mut(unit) else { return false };
        decided.waiting.retain(|waiting| waiting != participant);
        decided.waiting.is_empty()
    }

    /// The decision is no longer in the store.
    pub fn forget(&mut self, unit: &UnitName) -> Option<Decided> {
        self.decided.remove(unit)
    }

    pub fn get(&self, unit: &UnitName) -> Option<&Decided> {
        self.decided.get(unit)
    }

    pub fn list(&self) -> Vec<Decided> {
        self.decided.values().cloned().collect()
    }

    /// Decisions that a participant has not heard of.
    pub fn waiting_for(&self, participant: &str) -> Vec<UnitName> {
        let waiting = self.decided.values().filter(|decided| decided.waits_for(participant));
        waiting.map(|decided| decided.unit.clone()).collect()
    }

    /// Of which everybody has heard.
    pub fn heard_by_all(&self) -> Vec<UnitName> {
        let all = self.decided.values().filter(|decided| decided.waiting.is_empty());
        all.map(|decided| decided.unit.clone()).collect()
    }

    /// The participant may be in doubt.
    pub fn suspect(&mut self, participant: &str) {
        self.suspects.entry(participant.to_owned()).or_default();
    }

    /// The participant has not heard that a unit of work is backed out.
    pub fn suspect_of(&mut self, participant: &str, unit: &UnitName) {
        let units = self.suspects.entry(participant.to_owned()).or_default();
        if units.len() < SUSPICIONS_MAX {
            units.insert(unit.clone());
        }
    }

    /// It is about to be told, and asked, until [`Self::is_over`].
    pub fn clear(&mut self, participant: &str) -> BTreeSet<UnitName> {
        *self.asked.entry(participant.to_owned()).or_default() += 1;
        self.suspects.remove(participant).unwrap_or_default()
    }

    /// It was told, and asked, or did not answer.
    pub fn is_over(&mut self, participant: &str) {
        if let Some(times) = self.asked.get_mut(participant) {
            *times -= 1;
            if *times == 0 {
                self.asked.remove(participant);
            }
        }
    }

    /// Returns true if the participant should be asked, and is not being asked.
    pub fn concerns(&self, participant: &str) -> bool {
        if self.asked.contains_key(participant) {
            return false;
        }
        self.suspects.contains_key(participant)
            || self.decided.values().any(|decided| decided.waits_for(participant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_read_as_it_was_written_and_a_torn_one_is_none() {
        let waiting = vec![String::from("CICB"), String::from("POSTGRES")];
        let decided = Decided::new(UnitName::new(b"unit"), b"who".to_vec(), waiting);
        let bytes = decided.to_bytes();
        assert_eq!(Decided::from_bytes(b"unit", &bytes), Some(decided));
        assert_eq!(Decided::from_bytes(b"unit", &bytes[..bytes.len() - 1]), None);
        assert_eq!(Decided::from_bytes(b"unit", b""), None);
    }

    #[test]
    fn what_is_not_decided_is_backed_out_and_what_is_about_to_be_waits() {
        let (unit, mut decisions) = (UnitName::new(b"unit"), Decisions::default());
        assert_eq!(decisions.decision(&unit), Some(Decision::Backout));
        decisions.begin(&unit);
        assert_eq!(decisions.decision(&unit), None);
        decisions.decide(Decided::new(unit.clone(), Vec::new(), vec![String::from("A"), String::from("B")]));
        assert_eq!(decisions.decision(&unit), Some(Decision::Commit));
        assert_eq!((decisions.heard(&unit, "A"), decisions.heard(&unit, "A")), (false, false));
        assert_eq!((decisions.waiting_for("A").len(), decisions.waiting_for("B").len()), (0, 1));
        assert!(decisions.heard(&unit, "B"));
        assert_eq!(decisions.heard_by_all(), [unit]);
    }
}
