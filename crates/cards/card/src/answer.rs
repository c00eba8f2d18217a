//! The answers of the Authenticator: its return codes, and the ISO 8583 response code of each.

use crate::ftsc::Verdict;

/// A return code of the Authenticator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The code is the card's and new; its counter has been kept.
    Authentic,
    /// The code is not the card's.
    Wrong,
    /// The code has been used, or passed by.
    Replayed,
    /// The counter is outside the window.
    OutsideWindow,
    /// The time of the code is too far from the issuer's.
    OutsideTime,
    /// No portfolio has this BIN and sub-BIN.
    UnknownBin,
    /// The portfolio has no such account.
    UnknownAccount,
    /// The card has expired.
    Expired,
    /// The message or its track cannot be read.
    Malformed,
    /// No HSM answered in time.
    NoHsm,
    /// Anything else went wrong; nothing was kept.
    Failed,
}

/// All answers: return code, response code, meaning.
pub const ANSWERS: [(Answer, u16, &str, &str); 11] = [
    (Answer::Authentic, 0, "00", "authentic"),
    (Answer::Wrong, 4, "05", "wrong code"),
    (Answer::Replayed, 8, "63", "replayed counter"),
    (Answer::OutsideWindow, 12, "63", "counter outside the window"),
    (Answer::OutsideTime, 16, "63", "time outside the tolerance"),
    (Answer::UnknownBin, 20, "14", "unknown BIN"),
    (Answer::UnknownAccount, 24, "14", "unknown account"),
    (Answer::Expired, 28, "54", "expired card"),
    (Answer::Malformed, 32, "30", "malformed message"),
    (Answer::NoHsm, 36, "91", "no HSM"),
    (Answer::Failed, 40, "96", "failure"),
];

impl Answer {
    fn row(self) -> &'static (Answer, u16, &'static str, &'static str) {
        // The rows are in the order of the variants; a test checks it.
        &ANSWERS[self as usize]
    }

    /// The return code of the API.
    pub fn return_code(self) -> u16 {
        self.row().1
    }

    /// The response code of the message, field 39.
    pub fn response_code(self) -> &'static str {
        self.row().2
    }

    /// In words.
    pub fn meaning(self) -> &'static str {
        self.row().3
    }

    /// The answer of a return code.
    pub fn of_return_code(code: u16) -> Option<Self> {
        ANSWERS.iter().find(|row| row.1 == code).map(|row| row.0)
    }
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Authentic { .. } => Self::Authentic,
            Verdict::Wrong => Self::Wrong,
            Verdict::Replayed { .. } => Self::Replayed,
            Verdict::OutsideWindow => Self::OutsideWindow,
            Verdict::OutsideTime => Self::OutsideTime,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_has_its_row() {
        let readme = include_str!("../README.md");
        for (answer, code, response, meaning) in ANSWERS {
            assert!(readme.contains(&format!("| {code} | {response} | {meaning} |")), "{meaning}");
            assert_eq!(answer.return_code(), code);
            assert_eq!(answer.response_code(), response);
            assert_eq!(Answer::of_return_code(code), Some(answer));
        }
        assert_eq!(Answer::of_return_code(1), None);
    }
}
