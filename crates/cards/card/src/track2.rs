//! Track 2 of a magnetic stripe (ISO/IEC 7813): card number, expiry date, service code, discretionary data.
//!
//! ```text
//! ;4999990000000015=27122011234567890123?0
//! │└──── card number   │   │  │            │└ check character (LRC), may be left out
//! │      separator = ──┘   │  │            └─ end sentinel, may be left out together with the start sentinel
//! │      expiry date YYMM ─┘  └ discretionary data, up to what fits
//! └ start sentinel            (before it: the service code of three digits)
//! ```

use std::fmt;

use crate::digits::{Digits, all_digits};
use crate::pan::{Pan, PanError};

/// Characters between the sentinels at most.
pub const LENGTH_MAX: usize = 37;

const START: char = ';';
const END: char = '?';
const SEPARATOR: char = '=';
/// The separator where the track is written as hexadecimal digits, as chips do.
const SEPARATOR_HEX: char = 'D';
const EXPIRY_LENGTH: usize = 4;
const SERVICE_CODE_LENGTH: usize = 3;

/// A track's contents. It prints with a masked card number and without discretionary data.
#[derive(Clone, PartialEq, Eq)]
pub struct Track2 {
    /// The card number.
    pub pan: Pan,
    /// The expiry date, YYMM.
    pub expiry: Digits<EXPIRY_LENGTH>,
    /// The service code.
    pub service_code: Digits<SERVICE_CODE_LENGTH>,
    discretionary: String,
}

/// A fault in a track, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Track2Error {
    /// The character at which it was seen, from 0.
    pub at: usize,
    /// The fault.
    pub problem: Track2Problem,
}

/// A fault of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Track2Problem {
    /// A start sentinel without an end sentinel, or the other way round.
    #[error("a track that begins with ; ends with ?, and the other way round")]
    Sentinel,
    /// More than [`LENGTH_MAX`] characters between the sentinels.
    #[error("a track has at most {LENGTH_MAX} characters between its sentinels, not {0}")]
    TooLong(usize),
    /// Neither `=` nor `D` after the card number.
    #[error("no separator (= or D) stands behind the card number")]
    NoSeparator,
    /// The card number.
    #[error("{0}")]
    Pan(#[from] PanError),
    /// The expiry date is not four digits with a month.
    #[error("an expiry date YYMM is expected, with a month from 01 to 12")]
    Expiry,
    /// The service code is not three digits.
    #[error("a service code of three digits is expected")]
    ServiceCode,
    /// The discretionary data are not digits.
    #[error("discretionary data have digits only")]
    Discretionary,
    /// The check character is not that of the track.
    #[error("the check character (LRC) is not that of the track")]
    Lrc,
}

impl Track2 {
    /// Reads a track, with or without sentinels and check character.
    pub fn parse(text: &str) -> Result<Self, Track2Error> {
        let fail = |at, problem| Err(Track2Error { at, problem });
        if !text.is_ascii() {
            return fail(text.chars().take_while(char::is_ascii).count(), Track2Problem::Discretionary);
        }
        let (start, inner) = between_sentinels(text)?;
        if inner.len() > LENGTH_MAX {
            return fail(start + LENGTH_MAX, Track2Problem::TooLong(inner.len()));
        }
        let Some((pan, rest)) = inner.split_once([SEPARATOR, SEPARATOR_HEX]) else {
            return fail(start + inner.len(), Track2Problem::NoSeparator);
        };
        let pan_digits = pan.len();
        let pan = Pan::new(pan).map_err(|error| Track2Error { at: start, problem: error.into() })?;
        let at = start + pan_digits + SEPARATOR.len_utf8();
        let Some(expiry) = rest.get(..EXPIRY_LENGTH).and_then(expiry) else {
            return fail(at, Track2Problem::Expiry);
        };
        let at = at + EXPIRY_LENGTH;
        let rest = &rest[EXPIRY_LENGTH..];
        let Some(service_code) = rest.get(..SERVICE_CODE_LENGTH).and_then(Digits::parse) else {
            return fail(at, Track2Problem::ServiceCode);
        };
        let discretionary = &rest[SERVICE_CODE_LENGTH..];
        if !all_digits(discretionary) {
            return fail(at + SERVICE_CODE_LENGTH, Track2Problem::Discretionary);
        }
        Ok(Self { pan, expiry, service_code, discretionary: discretionary.to_owned() })
    }

    /// A track of its parts.
    pub fn new(
        pan: Pan,
        expiry: Digits<EXPIRY_LENGTH>,
        service_code: Digits<SERVICE_CODE_LENGTH>,
        discretionary: &str,
    ) -> Result<Self, Track2Error> {
        let track = Self { pan, expiry, service_code, discretionary: discretionary.to_owned() };
        Self::parse(&track.text())
    }

    /// The number of digits of discretionary data that fit after a card number.
    pub fn room_behind(pan: &Pan) -> usize {
        LENGTH_MAX - pan.digits().len() - SEPARATOR.len_utf8() - EXPIRY_LENGTH - SERVICE_CODE_LENGTH
    }

    /// The digits after the service code.
    pub fn discretionary(&self) -> &str {
        &self.discretionary
    }

    /// The track without sentinels, as a message carries it; in clear.
    pub fn text(&self) -> String {
        format!("{}{SEPARATOR}{}{}{}", self.pan.digits(), self.expiry, self.service_code, self.discretionary)
    }

    /// The track as a reader gives it, with sentinels and check character; in clear.
    pub fn with_sentinels(&self) -> String {
        let text = format!("{START}{}{END}", self.text());
        let check = lrc(&text);
        format!("{text}{check}")
    }
}

impl fmt::Debug for Track2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Track2({:?} {} {})", self.pan, self.expiry, self.service_code)
    }
}

/// An expiry date whose month is one.
pub fn expiry(text: &str) -> Option<Digits<EXPIRY_LENGTH>> {
    let month: u8 = text.get(2..)?.parse().ok()?;
    Digits::parse(text).filter(|_| (1..=12).contains(&month))
}

/// The text between the sentinels, and the character at which it begins.
fn between_sentinels(text: &str) -> Result<(usize, &str), Track2Error> {
    let fail = |at, problem| Err(Track2Error { at, problem });
    let Some(rest) = text.strip_prefix(START) else {
        return match text.find(END) {
            Some(at) => fail(at, Track2Problem::Sentinel),
            None => Ok((0, text)),
        };
    };
    let Some((inner, check)) = rest.split_once(END) else {
        return fail(text.len(), Track2Problem::Sentinel);
    };
    let behind = text.len() - check.len();
    if check.is_empty() || check == lrc(&text[..behind]).to_string() {
        Ok((1, inner))
    } else {
        fail(behind, Track2Problem::Lrc)
    }
}

/// The check character: each of its four bits makes the number of ones in that column of the whole track even.
fn lrc(text: &str) -> char {
    // The sixteen characters of track 2 are X'30' to X'3F'.
    const FIRST: u8 = b'0';
    let bits = text.bytes().fold(0, |sum, byte| sum ^ (byte.wrapping_sub(FIRST) & 0x0F));
    char::from(FIRST + bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pan::Pan;
    use Track2Problem::{Discretionary, Expiry, Lrc, NoSeparator, Sentinel, ServiceCode, TooLong};

    const TRACK: &str = "4999990000000015=27122011234567890123";

    #[test]
    fn all_ways_of_writing_a_track() {
        let track = Track2::parse(TRACK).expect("a good track");
        assert_eq!(track.pan.digits(), "4999990000000015");
        assert_eq!((track.expiry.as_str(), track.service_code.as_str()), ("2712", "201"));
        assert_eq!(track.discretionary(), "1234567890123");
        assert_eq!(track.text(), TRACK);
        for text in [&track.with_sentinels(), &format!(";{TRACK}?"), &TRACK.replace('=', "D")] {
            assert_eq!(Track2::parse(text).as_ref(), Ok(&track), "{text}");
        }
        assert_eq!(format!("{track:?}"), "Track2(499999******0015 2712 201)");
    }

    #[test]
    fn what_is_wrong_and_where() {
        for (text, at, problem) in [
            ("", 0, NoSeparator),
            ("4999990000000015", 16, NoSeparator),
            ("49999900000=27122011", 0, Track2Problem::Pan(PanError::Length(11))),
            ("499999000000001X=2712201", 0, Track2Problem::Pan(PanError::NotDigits)),
            ("4999990000000015=271", 17, Expiry),
            ("4999990000000015=2713201", 17, Expiry),
            ("4999990000000015=271220", 21, ServiceCode),
            ("4999990000000015=2712201x", 24, Discretionary),
            ("4999990000000015=2712201é", 24, Discretionary),
            ("4999990000000015=271220112345678901234", 37, TooLong(38)),
            (";4999990000000015=2712201", 25, Sentinel),
            ("4999990000000015=2712201?", 24, Sentinel),
            (";4999990000000015=2712201?x", 26, Lrc),
        ] {
            assert_eq!(Track2::parse(text), Err(Track2Error { at, problem }), "{text}");
        }
    }

    #[test]
    fn room_for_discretionary_data() {
        let pan = Pan::new("4999990000000015").expect("digits");
        assert_eq!(Track2::room_behind(&pan), 13);
    }
}
