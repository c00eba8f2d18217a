//! The SQL communication area: 136 bytes in a program.

use ebcdic::Characters;

/// Result of a program's last statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sqlca {
    /// SQLCODE: 0, a warning above it, an error below it.
    pub code: i32,
    /// SQLSTATE.
    pub state: [u8; 5],
    /// SQLERRMC: names and values that the message is about.
    pub tokens: Vec<String>,
    /// SQLERRP: who noticed.
    pub detector: [u8; 8],
    /// SQLERRD(1) to (6); the third counts rows.
    pub details: [i32; 6],
    /// SQLWARN0 to SQLWARNA: blank, or a letter.
    pub warnings: [u8; 11],
}

/// Places in the area.
const CODE: usize = 12;
const MESSAGE_LENGTH: usize = 16;
const MESSAGE: usize = 18;
const DETECTOR: usize = 88;
const DETAILS: usize = 96;
const WARNINGS: usize = 120;
const STATE: usize = 131;
/// Between tokens.
const SEPARATOR: u8 = 0xFF;

impl Default for Sqlca {
    fn default() -> Self {
        Self {
            code: 0,
            state: *b"00000",
            tokens: Vec::new(),
            detector: *b"DSN     ",
            details: [0; 6],
            warnings: [b' '; 11],
        }
    }
}

impl Sqlca {
    /// Length of the area in bytes.
    pub const LENGTH: usize = 136;

    /// A code with its state.
    pub fn error(code: i32, state: &[u8; 5]) -> Self {
        Self { code, state: *state, detector: *b"DSNSQL  ", ..Self::default() }
    }

    /// No row, or no more.
    pub fn not_found() -> Self {
        Self { code: 100, state: *b"02000", ..Self::default() }
    }

    /// With one more token.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.tokens.push(token.into());
        self
    }

    /// With SQLERRD(3): rows, or the reason of a time-out or deadlock.
    #[must_use]
    pub fn counting(mut self, rows: impl TryInto<i32>) -> Self {
        self.details[2] = rows.try_into().unwrap_or(i32::MAX);
        self
    }

    /// Raises a warning, and SQLWARN0 with it.
    pub fn warn(&mut self, number: usize) {
        self.warnings[0] = b'W';
        self.warnings[number] = b'W';
    }

    /// Message of one line for the result.
    pub fn message(&self) -> String {
        let text = super::texts::text(self.code);
        if self.tokens.is_empty() { text.to_owned() } else { format!("{text}: {}", self.tokens.join(", ")) }
    }

    /// As a program has it.
    pub fn bytes(&self) -> [u8; Self::LENGTH] {
        let mut area = [b' '; Self::LENGTH];
        area[..8].copy_from_slice(b"SQLCA   ");
        area[8..CODE].copy_from_slice(&(Self::LENGTH as i32).to_be_bytes());
        area[CODE..MESSAGE_LENGTH].copy_from_slice(&self.code.to_be_bytes());
        let message = self.joined();
        let length = message.len() as u16;
        area[MESSAGE_LENGTH..MESSAGE].copy_from_slice(&length.to_be_bytes());
        area[MESSAGE..MESSAGE + message.len()].copy_from_slice(&message);
        area[DETECTOR..DETAILS].copy_from_slice(&self.detector);
        for (at, detail) in self.details.iter().enumerate() {
            area[DETAILS + 4 * at..][..4].copy_from_slice(&detail.to_be_bytes());
        }
        area[WARNINGS..STATE].copy_from_slice(&self.warnings);
        area[STATE..].copy_from_slice(&self.state);
        area
    }

    /// Reads an area of a program in which numbers are COMP.
    pub fn read(area: &[u8; Self::LENGTH]) -> Self {
        let word = |at: usize| i32::from_be_bytes([area[at], area[at + 1], area[at + 2], area[at + 3]]);
        let length = usize::from(u16::from_be_bytes([area[MESSAGE_LENGTH], area[MESSAGE_LENGTH + 1]]));
        let message = &area[MESSAGE..MESSAGE + length.min(DETECTOR - MESSAGE)];
        let token = |token: &[u8]| Characters::default().text(token);
        let mut sqlca = Self {
            code: word(CODE),
            tokens: match message {
                [] => Vec::new(),
                _ => message.split(|&byte| byte == SEPARATOR).map(token).collect(),
            },
            ..Self::default()
        };
        sqlca.detector.copy_from_slice(&area[DETECTOR..DETAILS]);
        for (at, detail) in sqlca.details.iter_mut().enumerate() {
            *detail = word(DETAILS + 4 * at);
        }
        sqlca.warnings.copy_from_slice(&area[WARNINGS..STATE]);
        sqlca.state.copy_from_slice(&area[STATE..]);
        sqlca
    }

    /// The tokens as SQLERRMC has them, as far as it goes.
    fn joined(&self) -> Vec<u8> {
        let mut message = Vec::new();
        for token in &self.tokens {
            if !message.is_empty() {
                message.push(SEPARATOR);
            }
            message.extend(Characters::default().bytes(token));
        }
        message.truncate(DETECTOR - MESSAGE);
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_written_and_read() {
        let mut sqlca = Sqlca::error(-803, b"23505").token("CONTACT_PKEY").token("X'01'").counting(3u64);
        sqlca.warn(1);
        let area = sqlca.bytes();
        assert_eq!(&area[..20], b"SQLCA   \0\0\0\x88\xFF\xFF\xFC\xDD\0\x12CO");
        assert_eq!(&area[18..37], b"CONTACT_PKEY\xFFX'01' ");
        assert_eq!(&area[88..96], b"DSNSQL  ");
        assert_eq!(&area[120..], b"WW         23505");
        assert_eq!(Sqlca::read(&area), sqlca);
    }

    #[test]
    fn a_long_message_is_cut_and_a_wrong_length_is_survived() {
        let sqlca = Sqlca::error(-199, b"42601").token("x".repeat(100));
        let mut area = sqlca.bytes();
        assert_eq!(Sqlca::read(&area).tokens, ["x".repeat(70)]);
        area[MESSAGE_LENGTH] = 0xFF;
        assert_eq!(Sqlca::read(&area).tokens[0].len(), 70);
    }
}
