//! Attention identifiers: the first byte of a terminal's record.

/// The key, or the cause, that made a terminal send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aid {
    /// None: an answer to a read command.
    None,
    /// ENTER.
    Enter,
    /// CLEAR.
    Clear,
    /// A program access key, 1 to 3.
    Pa(u8),
    /// A program function key, 1 to 24.
    Pf(u8),
    /// Structured fields follow.
    StructuredField,
    /// A selector pen on an attention field.
    Pen,
    /// A field with a trigger.
    Trigger,
    /// CLEAR PARTITION.
    ClearPartition,
    /// The operator identification card reader.
    OperatorId,
    /// The magnetic stripe reader.
    MagneticReader,
    /// SYSREQ or test request.
    TestRequest,
}

const PF: [u8; 24] = [
    0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x7B, 0x7C, // PF1 to PF12
    0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0x4A, 0x4B, 0x4C, // PF13 to PF24
];
const PA: [u8; 3] = [0x6C, 0x6E, 0x6B];

impl Aid {
    /// Its byte. A PA or PF key that no keyboard has is sent as no key.
    pub fn code(self) -> u8 {
        let key = |keys: &[u8], n: u8| {
            usize::from(n).checked_sub(1).and_then(|at| keys.get(at).copied()).unwrap_or(0x60)
        };
        match self {
            Aid::None => 0x60,
            Aid::Enter => 0x7D,
            Aid::Clear => 0x6D,
            Aid::Pa(n) => key(&PA, n),
            Aid::Pf(n) => key(&PF, n),
            Aid::StructuredField => 0x88,
            Aid::Pen => 0x7E,
            Aid::Trigger => 0x7F,
            Aid::ClearPartition => 0x6A,
            Aid::OperatorId => 0xE6,
            Aid::MagneticReader => 0xE7,
            Aid::TestRequest => 0xF0,
        }
    }

    /// The AID of a byte.
    pub fn of(code: u8) -> Option<Aid> {
        let number = |keys: &[u8]| keys.iter().position(|&key| key == code).map(|at| at as u8 + 1);
        Some(match code {
            0x60 | 0xE8 => Aid::None,
            0x7D => Aid::Enter,
            0x6D => Aid::Clear,
            0x88 => Aid::StructuredField,
            0x7E => Aid::Pen,
            0x7F => Aid::Trigger,
            0x6A => Aid::ClearPartition,
            0xE6 => Aid::OperatorId,
            0xE7 => Aid::MagneticReader,
            0xF0 => Aid::TestRequest,
            _ => match (number(&PF), number(&PA)) {
                (Some(n), _) => Aid::Pf(n),
                (None, Some(n)) => Aid::Pa(n),
                (None, None) => return None,
            },
        })
    }

    /// Returns true if it is sent alone, without the cursor and without data.
    pub fn is_short(self) -> bool {
        matches!(self, Aid::Clear | Aid::ClearPartition | Aid::Pa(_))
    }
}
