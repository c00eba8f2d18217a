//! Kinds of messages, the share of each, and its expected outcome.

use std::fmt;
use std::str::FromStr;

use card::answer::Answer;

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A new code of a good card.
    Valid,
    /// A code with one wrong digit.
    Wrong,
    /// The code of the last counter that was accepted.
    Replayed,
    /// A good card of no portfolio.
    UnknownBin,
    /// A message with letters where an amount should be.
    Malformed,
    /// A message that ends in the middle.
    Short,
    /// A message that is longer than a frame may be.
    Oversized,
    /// A connection that says nothing.
    Silent,
}

/// All kinds with the words that name them.
pub const KINDS: [(Kind, &str); 8] = [
    (Kind::Valid, "valid"),
    (Kind::Wrong, "wrong"),
    (Kind::Replayed, "replayed"),
    (Kind::UnknownBin, "unknown-bin"),
    (Kind::Malformed, "malformed"),
    (Kind::Short, "short"),
    (Kind::Oversized, "oversized"),
    (Kind::Silent, "silent"),
];

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// A response.
    Answered(Answer),
    /// The other end hung up without one.
    HungUp,
    /// Nothing came in time.
    TimedOut,
    /// No connection was made.
    NotConnected,
    /// The card could not make it.
    NotMade,
    /// A response that cannot be read, or belongs to another request.
    Unreadable,
}

/// The share of each kind, in percent; valid messages are the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mix(Vec<(Kind, f64)>);

/// The reason why a text is not a mix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixError(String);

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        // The rows are in the order of the variants; a test checks it.
        KINDS[self as usize].1
    }

    /// Returns true if this kind may have an outcome.
    pub fn allows(self, outcome: Outcome) -> bool {
        let answered = |answers: &[Answer]| {
            // Answers with the same response code are the same to a terminal.
            let codes = |answer: &Answer| matches!(outcome, Outcome::Answered(given) if given.response_code() == answer.response_code());
            answers.iter().any(codes)
        };
        match self {
            Self::Valid => answered(&[Answer::Authentic]),
            Self::Wrong => answered(&[Answer::Wrong]),
            Self::Replayed => answered(&[Answer::Replayed]),
            Self::UnknownBin => answered(&[Answer::UnknownBin]),
            Self::Malformed | Self::Oversized => outcome == Outcome::HungUp || answered(&[Answer::Malformed]),
            Self::Short | Self::Silent => outcome == Outcome::HungUp,
        }
    }

    /// Returns true if the region may have kept the counter although it did not say so.
    pub fn may_be_kept(self, outcome: Outcome) -> bool {
        self == Self::Valid
            && !matches!(outcome, Outcome::Answered(_) | Outcome::NotConnected | Outcome::NotMade)
    }
}

impl Mix {
    /// The kind at a part of the mix, from 0 to 1.
    pub fn pick(&self, part: f64) -> Kind {
        let mut lot = part * 100.0;
        let picked = self.0.iter().find(|(_, percent)| {
            lot -= percent;
            lot < 0.0
        });
        picked.map_or(Kind::Valid, |(kind, _)| *kind)
    }
}

impl FromStr for Mix {
    type Err = MixError;

    /// Percentages as `wrong=1,replayed=0.5`.
    fn from_str(text: &str) -> Result<Self, MixError> {
        let part = |part: &str| {
            let (word, percent) = part.split_once('=')?;
            let kind = KINDS.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind)?;
            let percent: f64 = percent.parse().ok()?;
            (0.0..=100.0).contains(&percent).then_some((kind, percent))
        };
        let parts: Option<Vec<_>> = text.split(',').filter(|text| !text.is_empty()).map(part).collect();
        let parts = parts.filter(|parts| parts.iter().map(|(_, percent)| percent).sum::<f64>() <= 100.0);
        parts.map(Self).ok_or_else(|| MixError(text.to_owned()))
    }
}

impl fmt::Display for MixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = KINDS.iter().map(|(_, word)| *word).collect();
        write!(f, "{:?} is no mix: write percentages as wrong=1,replayed=0.5 of {}", self.0, words.join(", "))
    }
}

impl std::error::Error for MixError {}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(answer) => write!(f, "{} {}", answer.response_code(), answer.meaning()),
            Self::HungUp => f.write_str("hung up"),
            Self::TimedOut => f.write_str("timed out"),
            Self::NotMade => f.write_str("not made"),
            Self::NotConnected => f.write_str("not connected"),
            Self::Unreadable => f.write_str("unreadable response"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row() {
        for (kind, word) in KINDS {
            assert_eq!(kind.word(), word);
        }
    }

    #[test]
    fn a_mix_is_percentages() {
        let mix: Mix = "wrong=10,short=20".parse().expect("a mix");
        for (part, kind) in [(0.0, Kind::Wrong), (0.05, Kind::Wrong), (0.2, Kind::Short), (0.31, Kind::Valid)]
        {
            assert_eq!(mix.pick(part), kind, "{part}");
        }
        assert_eq!("".parse(), Ok(Mix::default()));
        for wrong in ["wrong", "wrong=x", "good=1", "wrong=60,short=60", "wrong=-1"] {
            assert!(wrong.parse::<Mix>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_kind_should_come_to() {
        use Outcome::*;
        for (kind, outcome, expected) in [
            (Kind::Valid, Answered(Answer::Authentic), true),
            (Kind::Valid, HungUp, false),
            (Kind::Replayed, Answered(Answer::OutsideWindow), true),
            (Kind::Replayed, Answered(Answer::Authentic), false),
            (Kind::Oversized, HungUp, true),
            (Kind::Silent, TimedOut, false),
        ] {
            assert_eq!(kind.allows(outcome), expected, "{kind:?} {outcome:?}");
        }
    }
}
