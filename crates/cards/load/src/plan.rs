//! The plan of a run.

use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use card::track2::Track2;
use diagnostics::Diagnostic;

use crate::kind::Mix;
use crate::ledger::Ledger;
use crate::simulator::Portfolio;
use crate::tracks::TrackFile;

/// A run.
pub struct Plan {
    /// The address at which the Authenticator listens.
    pub target: SocketAddr,
    /// The terminals and their cards.
    pub terminals: Vec<TrackFile>,
    /// The card that each terminal begins with when it sends messages, counted from 0 and around.
    pub first_card: usize,
    /// Key and layout of the cards.
    pub portfolio: Portfolio,
    /// The rate at which each terminal sends; `None`: as soon as it has its answer.
    pub rate: Option<Rate>,
    /// The messages to send.
    pub work: Work,
    /// True if each terminal's first message waits for a random part of its interval.
    pub back_off: bool,
    /// True if a terminal keeps its connection from one message to the next.
    pub persistent: bool,
    /// The time that a terminal waits for an answer, connecting included.
    pub patience: Duration,
    /// The seed of the random choices.
    pub seed: u64,
    /// The messages of earlier runs: cards go on after them.
    pub known: Ledger,
}

/// The messages that each terminal sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// This number of messages of a mix, its cards in turn.
    Messages(u64, Mix),
    /// Each card's last code that the ledger says was accepted: none may be accepted again.
    ReplayLedger,
}

/// A number of messages in a time, from each terminal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    messages: f64,
    seconds: f64,
}

/// The reason why a text is not a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateError(String);

impl Rate {
    /// The time from one message to the next.
    pub fn interval(&self) -> Duration {
        Duration::from_secs_f64(self.seconds / self.messages)
    }

    /// Messages a second.
    pub fn per_second(&self) -> f64 {
        self.messages / self.seconds
    }
}

impl FromStr for Rate {
    type Err = RateError;

    /// Messages and seconds as `2/1`; without a `/` messages a second.
    fn from_str(text: &str) -> Result<Self, RateError> {
        let (messages, seconds) = text.split_once('/').unwrap_or((text, "1"));
        let rate = messages.parse().ok().zip(seconds.parse().ok());
        let rate = rate.map(|(messages, seconds)| Self { messages, seconds });
        let possible = |rate: &Self| (1e-6..=1e6).contains(&rate.per_second());
        rate.filter(possible).ok_or_else(|| RateError(text.to_owned()))
    }
}

impl std::fmt::Display for RateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} is no rate: write 2/1 for two messages in one second", self.0)
    }
}

impl std::error::Error for RateError {}

impl Plan {
    /// Messages of the whole run.
    pub fn messages(&self) -> u64 {
        match &self.work {
            Work::Messages(each, _) => each * self.terminals.len() as u64,
            Work::ReplayLedger => {
                let cards = self.terminals.iter().flat_map(|file| {
                    (0..file.tracks.len()).filter_map(|card| self.known.card(&file.terminal, card))
                });
                cards.filter(|entry| !entry.accepted.is_empty()).count() as u64
            }
        }
    }

    /// Messages a second of all terminals together; `None` for as fast as it goes.
    pub fn wanted_rate(&self) -> Option<f64> {
        self.rate.map(|rate| rate.per_second() * self.terminals.len() as f64)
    }

    /// Checks that every card's track has room for the code.
    pub(crate) fn check(&self) -> Result<(), Vec<Diagnostic>> {
        let tracks =
            self.terminals.iter().flat_map(|file| file.tracks.iter().map(move |track| (file, track)));
        for (file, track) in tracks {
            if let Err(error) = self.portfolio.layout.check(Track2::room_behind(&track.pan)) {
                let message =
                    format!("card {:?} of terminal {} cannot make a code", track.pan, file.terminal);
                return Err(vec![Diagnostic::error("SPLD007", message).help(error.to_string())]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_messages_in_seconds() {
        let interval = |text: &str| text.parse().map(|rate: Rate| rate.interval()).ok();
        for (text, expected) in [
            ("2/1", Some(Duration::from_millis(500))),
            ("1/10", Some(Duration::from_secs(10))),
            ("4", Some(Duration::from_millis(250))),
            ("0", None),
            ("1/0", None),
            ("-1", None),
            ("x/1", None),
        ] {
            assert_eq!(interval(text), expected, "{text}");
        }
    }
}
