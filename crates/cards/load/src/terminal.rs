//! One terminal: waits for its time, presents a card, notes the outcome.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use card::answer::Answer;
use card::digits::Digits;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::time::{Instant, sleep_until};

use crate::kind::{Kind, Outcome};
use crate::ledger;
use crate::link::Link;
use crate::plan::{Plan, Work};
use crate::report::Report;
use crate::simulator::{Attempt, Occasion, SimulatedCard};
use crate::tracks::TrackFile;

const SECONDS_A_MINUTE: u64 = 60;
const TERMINAL_LENGTH: usize = 8;

/// The part that all terminals share.
pub(crate) struct Shared {
    pub(crate) plan: Plan,
    pub(crate) report: RefCell<Report>,
    pub(crate) ledger: RefCell<Box<dyn Write>>,
    /// The reason why the ledger could not be written, the first time.
    pub(crate) ledger_error: RefCell<Option<io::Error>>,
    pub(crate) last_number: Cell<u64>,
    pub(crate) random: RefCell<fastrand::Rng>,
}

/// One terminal.
pub(crate) struct Terminal {
    name: String,
    identification: [u8; TERMINAL_LENGTH],
    cards: Vec<SimulatedCard>,
    link: Link,
    shared: Rc<Shared>,
}

impl Terminal {
    pub(crate) fn new(file: TrackFile, shared: Rc<Shared>) -> Self {
        let TrackFile { terminal: name, tracks } = file;
        let plan = &shared.plan;
        let card = |(number, track)| {
            let mut card = SimulatedCard::new(track);
            if let Some(entry) = plan.known.card(&name, number) {
                card.made = entry.sent;
                card.accepted = entry.accepted.last().copied().unwrap_or(0);
            }
            card
        };
        let cards = tracks.into_iter().enumerate().map(card).collect();
        let link = Link::new(plan.target, plan.persistent, plan.patience);
        let identification = identification(&name);
        Self { name, identification, cards, link, shared }
    }

    /// Sends all its messages, each at its time.
    pub(crate) async fn run(mut self, start: Instant) {
        let interval = self.shared.plan.rate.map(|rate| rate.interval());
        let part = self.random();
        let start = match interval {
            Some(interval) if self.shared.plan.back_off => start + interval.mul_f64(part),
            _ => start,
        };
        let mut card = match &self.shared.plan.work {
            Work::Messages(..) => self.shared.plan.first_card,
            Work::ReplayLedger => 0,
        };
        let mut sent = 0;
        while let Some(kind) = self.next(&mut card, sent) {
            if let Some(interval) = interval {
                let due = start + interval.mul_f64(sent as f64);
                sleep_until(due).await;
                self.note_late(due.elapsed());
            }
            self.present(card, kind).await;
            card += 1;
            sent += 1;
        }
    }

    /// The kind of the next message and, in `card`, the card that it is about; `None` when all are sent.
    fn next(&self, card: &mut usize, sent: u64) -> Option<Kind> {
        match &self.shared.plan.work {
            Work::Messages(each, mix) => {
                *card %= self.cards.len();
                (sent < *each).then(|| mix.pick(self.random()))
            }
            Work::ReplayLedger => {
                *card += self.cards.get(*card..)?.iter().position(|card| card.accepted > 0)?;
                Some(Kind::Replayed)
            }
        }
    }

    async fn present(&mut self, number: usize, kind: Kind) {
        let occasion = self.occasion();
        let shared = Rc::clone(&self.shared);
        let attempt = match self.cards[number].attempt(kind, &shared.plan.portfolio, &occasion) {
            Ok(attempt) => attempt,
            Err(_) => return shared.report.borrow_mut().count(kind, Outcome::NotMade),
        };
        let begun = Instant::now();
        let mut underway = Underway {
            shared: &shared,
            terminal: &self.name,
            card: number,
            attempt: &attempt,
            outcome: Outcome::TimedOut,
        };
        let (outcome, internal) = self.link.exchange(&attempt).await;
        underway.outcome = outcome;
        let mut report = shared.report.borrow_mut();
        if let Some(cut) = self.link.take_cut()
            && !attempt.kind.allows(outcome)
        {
            report.cut(|| cut.to_string());
        }
        if let Some(internal) = internal {
            report.response.add(microseconds(begun.elapsed()));
            report.internal.add(internal.into());
        }
        report.count(attempt.kind, outcome);
        if underway.is_accepted() {
            self.cards[number].accepted = attempt.counter;
        }
    }

    fn occasion(&self) -> Occasion {
        let number = self.shared.last_number.get() + 1;
        self.shared.last_number.set(number);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Occasion {
            terminal: self.identification,
            number,
            sent: transmission_time(now),
            time_block: u32::try_from(now / SECONDS_A_MINUTE).unwrap_or(u32::MAX),
        }
    }

    fn random(&self) -> f64 {
        self.shared.random.borrow_mut().f64()
    }

    fn note_late(&self, late: Duration) {
        let mut report = self.shared.report.borrow_mut();
        report.late_max = report.late_max.max(late);
    }
}

/// A message on its way. When dropped, it enters the region's answer about its counter into the ledger, or that the
/// region may have accepted it: a run that is stopped does not know the fate of the messages that it has sent.
struct Underway<'a> {
    shared: &'a Shared,
    terminal: &'a str,
    card: usize,
    attempt: &'a Attempt,
    /// Its outcome; until it has one, the same as if no response came in time.
    outcome: Outcome,
}

impl Underway<'_> {
    /// Whatever was sent: if it was accepted, that belongs into the ledger.
    fn is_accepted(&self) -> bool {
        self.outcome == Outcome::Answered(Answer::Authentic)
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        let accepted = self.is_accepted();
        if accepted || self.attempt.kind.may_be_kept(self.outcome) {
            let line = ledger::line(self.terminal, self.card, self.attempt.counter, accepted);
            if let Err(error) = self.shared.ledger.borrow_mut().write_all(line.as_bytes()) {
                self.shared.ledger_error.borrow_mut().get_or_insert(error);
            }
        }
    }
}

/// MMDDhhmmss of a second since 1970.
fn transmission_time(second: u64) -> Digits<10> {
    let timestamp = i64::try_from(second).ok().and_then(|second| Timestamp::from_second(second).ok());
    let time = timestamp.unwrap_or_default().to_zoned(TimeZone::UTC);
    let fields = [time.month(), time.day(), time.hour(), time.minute(), time.second()];
    Digits::of(fields.iter().fold(0, |number, field| number * 100 + field.unsigned_abs() as u64))
}

/// The last printing characters of a name, filled up with blanks.
fn identification(name: &str) -> [u8; TERMINAL_LENGTH] {
    let mut identification = [b' '; TERMINAL_LENGTH];
    let letters: Vec<u8> = name.bytes().filter(u8::is_ascii_graphic).collect();
    let last = &letters[letters.len().saturating_sub(TERMINAL_LENGTH)..];
    identification[..last.len()].copy_from_slice(last);
    identification
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_says_of_its_terminal_and_time() {
        assert_eq!(&identification("t00042"), b"t00042  ");
        assert_eq!(&identification("a-long-é-name"), b"ng--name");
        assert_eq!(transmission_time(1_795_296_896).as_str(), "1121213456");
    }
}
