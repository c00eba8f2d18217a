//! The error codes of responses: two characters after the response code.

/// The reason why a command was not carried out, or its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[error("{}", self.meaning())]
pub enum ErrorCode {
    /// 00
    None,
    /// 01: CY and F2 compare a value that the sender gave.
    VerificationFailed,
    /// 02, of F2 only.
    Replayed,
    /// 03, of F2 only.
    OutsideWindow,
    /// 04, of F2 only.
    OutsideTime,
    /// 10: a key that the command uses was not made here for this use.
    KeyParity,
    /// 15
    InvalidInput,
    /// 22
    InvalidAccount,
    /// 26
    KeyScheme,
    /// 68
    Disabled,
    /// 80
    DataLength,
}

impl ErrorCode {
    /// The two characters.
    pub fn code(self) -> &'static str {
        self.row().0
    }

    /// In words.
    pub fn meaning(self) -> &'static str {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("00", "no error"),
            Self::VerificationFailed => ("01", "verification failed"),
            Self::Replayed => ("02", "counter replayed"),
            Self::OutsideWindow => ("03", "counter outside the window"),
            Self::OutsideTime => ("04", "time outside the tolerance"),
            Self::KeyParity => ("10", "key parity"),
            Self::InvalidInput => ("15", "invalid input"),
            Self::InvalidAccount => ("22", "invalid account"),
            Self::KeyScheme => ("26", "key scheme"),
            Self::Disabled => ("68", "command not known or disabled"),
            Self::DataLength => ("80", "data length"),
        }
    }
}
