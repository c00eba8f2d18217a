//! The last resource: own changes are prepared under a name that tells whom to ask, then the only participant commits
//! in one phase. Its result decides; after a death on any side it can still be found out by the evidence in the name.
//!
//! ```text
//! name = note unit:* participant:* evidence:* lengths:3 "last"      lengths: of the three before
//! ```
//!
//! The note comes first, so that a list of units in doubt can name their owners.

use records::{Decider, Decision, Error, Indoubt, Standing};

use crate::coordinator::Coordinator;
use crate::news::{News, UnderWay};
use crate::participant::{Fate, Participant, UnitName};
use crate::results::Resynchronised;

/// Ending of such names.
const MARK: &[u8] = b"last";

/// Whom to ask about own changes that are in doubt.
#[derive(Debug, PartialEq, Eq)]
struct Witness {
    unit: UnitName,
    participant: String,
    evidence: Vec<u8>,
}

/// The name under which own changes are prepared; `None`: something in it is too long.
pub(crate) fn name(note: &[u8], unit: &UnitName, participant: &str, evidence: &[u8]) -> Option<Vec<u8>> {
    let fields = [unit.as_bytes(), participant.as_bytes(), evidence];
    let lengths: Option<Vec<u8>> = fields.iter().map(|field| u8::try_from(field.len()).ok()).collect();
    Some([note, &fields.concat(), &lengths?, MARK].concat())
}

impl Witness {
    /// `None` if the name was given for something else.
    fn of(name: &[u8]) -> Option<Self> {
        let (rest, lengths) = name.strip_suffix(MARK)?.split_last_chunk::<3>()?;
        let [unit, participant, evidence] = lengths.map(usize::from);
        let (rest, evidence) = rest.split_at_checked(rest.len().checked_sub(evidence)?)?;
        let (rest, participant) = rest.split_at_checked(rest.len().checked_sub(participant)?)?;
        let (_, unit) = rest.split_at_checked(rest.len().checked_sub(unit)?)?;
        Some(Self {
            unit: UnitName::new(unit),
            participant: String::from_utf8(participant.to_vec()).ok()?,
            evidence: evidence.to_vec(),
        })
    }
}

impl Coordinator {
    /// Returns true if own changes wait for what a participant did, or it has not heard of a decision.
    ///
    /// # Errors
    /// The engine's own.
    pub fn waits_for(&self, participant: &str) -> records::Result<bool> {
        if !self.with_decisions(|decisions| decisions.waiting_for(participant)).is_empty() {
            return Ok(true);
        }
        let witnesses = self.engine.indoubt()?;
        let mut witnesses = witnesses.iter().filter_map(|own| Witness::of(&own.name));
        Ok(witnesses.any(|witness| witness.participant == participant))
    }

    /// Ends own changes that wait for what a participant did. `None`: of some it cannot be asked just now.
    pub(crate) async fn resolve_own(
        &self,
        participant: &dyn Participant,
        done: &mut Resynchronised,
    ) -> Option<()> {
        self.end_abandoned().await;
        let listed = self.engine.indoubt().inspect_err(|error| {
            tracing::error!(target: "RM", "units of work in doubt cannot be listed: {error}");
        });
        for own in listed.ok()? {
            // One that is attended has a task that hears the answer itself.
            if own.standing != Standing::Attended
                && let Some(witness) = Witness::of(&own.name)
                && witness.participant == participant.name()
            {
                self.ask_witness(participant, &own, &witness, done).await?;
            }
        }
        Some(())
    }

    async fn ask_witness(
        &self,
        participant: &dyn Participant,
        own: &Indoubt,
        witness: &Witness,
        done: &mut Resynchronised,
    ) -> Option<()> {
        let (decision, count) = match participant.fate(&witness.unit, &witness.evidence).await {
            Fate::Committed => (Decision::Commit, &mut done.committed),
            Fate::BackedOut => (Decision::Backout, &mut done.backed_out),
            Fate::Unreachable => return None,
            Fate::Unknowable(why) => {
                if let Standing::Forced(_) = own.standing {
                    // The answer will never change.
                    return self.engine.forget(&own.name).await.ok();
                }
                tell_unknowable(witness, &why);
                return Some(());
            }
        };
        match self.engine.resolve(&own.name, decision, Decider::Coordinator).await {
            Ok(()) => *count += 1,
            // It has ended meanwhile.
            Err(Error::NotIndoubt) => {}
            Err(Error::Heuristic(made)) => {
                done.otherwise += 1;
                tell_difference(witness, made);
                self.engine.forget(&own.name).await.ok()?;
            }
            Err(error) => {
                tracing::error!(target: "RM", "unit of work {} cannot be ended: {error}", witness.unit);
                return None;
            }
        }
        Some(())
    }

    /// Tasks were cut off while their own changes were being prepared: no participant was asked to commit.
    async fn end_abandoned(&self) {
        let under_way = std::mem::take(&mut *self.abandoned.lock());
        let mut taken = Taken { coordinator: self, under_way };
        while let Some(preparing) = taken.under_way.last_mut() {
            let news = preparing.await;
            taken.under_way.pop();
            if let News::Prepared(own, Ok(())) = news
                && let Err(error) = own.backout().await
            {
                tracing::error!(target: "RM", "what a task has left cannot be backed out: {error}");
            }
        }
    }
}

/// Items that were taken to be ended; the rest is there for the next resynchronisation if this one is dropped.
struct Taken<'a> {
    coordinator: &'a Coordinator,
    under_way: Vec<UnderWay>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.coordinator.abandoned.lock().append(&mut self.under_way);
    }
}

/// An operator has to find out what the participant did.
fn tell_unknowable(witness: &Witness, why: &str) {
    let Witness { unit, participant, .. } = witness;
    tracing::error!(
        target: "RM",
        "unit of work {unit} stays in doubt, with its locks: {participant} cannot say whether it has committed it: {why}. \
         Find out what it has changed there, then end it with SET UOW COMMIT or BACKOUT"
    );
}

/// The region's operator has decided otherwise than the participant did.
fn tell_difference(witness: &Witness, made: Decision) {
    let Witness { unit, participant, .. } = witness;
    tracing::error!(
        target: "RM",
        "unit of work {unit}: an operator has ended it with a {made}, and {participant} has ended it otherwise: what it has \
         changed there does not fit what it has changed here"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whom_to_ask_and_others_do_not() {
        let unit = UnitName::new(b"REGION\0\xFF");
        let named = name(b"whose", &unit, "DB2", &[7; 16]).expect("a name");
        let evidence = vec![7; 16];
        assert_eq!(Witness::of(&named), Some(Witness { unit, participant: "DB2".to_owned(), evidence }));
        assert!(named.starts_with(b"whose"));
        for others in [&b""[..], b"last", b"\xFF\xFF\xFFlast", &named[..named.len() - 1]] {
            assert_eq!(Witness::of(others), None);
        }
        assert_eq!(name(b"", &UnitName::new(b"unit"), "DB2", &[0; 256]), None);
    }
}
