//! The places of a code's sub-fields.

use std::str::FromStr;

use crate::digits::all_digits;

/// The place of one sub-field in the digits that carry the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldPlace {
    /// The first digit, from 1. Any number for a sub-field that is left out.
    pub position: usize,
    /// The number of its digits; 0 leaves the sub-field out.
    pub length: usize,
}

/// The places of all sub-fields: a row of the BIN table. The names are those of the published system; the README
/// defines their content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Time information block: the last digits of the time block.
    pub tib: FieldPlace,
    /// Code value: the digits that need the key.
    pub cv: FieldPlace,
    /// Transaction counter block: the last digits of the card's counter.
    pub tcb: FieldPlace,
    /// Status information block: the status that the card reports.
    pub sib: FieldPlace,
}

/// The digits of the four sub-fields; an empty one is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubFields {
    /// Time information block.
    pub tib: String,
    /// Code value.
    pub cv: String,
    /// Transaction counter block.
    pub tcb: String,
    /// Status information block.
    pub sib: String,
}

/// The reason why a layout cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Without a code value nothing can be verified.
    #[error("the code value (CV) cannot be left out")]
    NoCodeValue,
    /// A sub-field is longer than [`Layout::LENGTH_MAX`].
    #[error("{0} has more than {max} digits", max = Layout::LENGTH_MAX)]
    TooLong(&'static str),
    /// A sub-field begins before the first digit or ends after the last.
    #[error("{0} does not lie within the digits that carry the code")]
    Outside(&'static str),
    /// A text that is not a layout.
    #[error("a layout is written as cv=1:6,tcb=7:5,sib=12:1: position and length of tib, cv, tcb, sib")]
    Text,
    /// Two sub-fields share a digit.
    #[error("{0} and {1} overlap")]
    Overlap(&'static str, &'static str),
}

impl FieldPlace {
    /// A sub-field at a position (from 1) with a length.
    pub fn new(position: usize, length: usize) -> Self {
        Self { position, length }
    }

    /// The digits of a carrier at this place; `None` where it is shorter.
    fn of(self, carrier: &str) -> Option<&str> {
        if self.length == 0 {
            return Some("");
        }
        let start = self.position.checked_sub(1)?;
        carrier.get(start..start.checked_add(self.length)?)
    }

    fn overlaps(self, other: Self) -> bool {
        self.length > 0
            && other.length > 0
            && self.position < other.position + other.length
            && other.position < self.position + self.length
    }
}

impl Layout {
    /// Digits of a sub-field at most.
    pub const LENGTH_MAX: usize = 9;

    /// The layout of the samples for track 2 of a card number of 16 digits: its 13 digits of discretionary data hold
    /// the code value (6), the counter block (5), the status (1), and one digit that is not ours.
    pub const SAMPLE: Self = Self {
        cv: FieldPlace { position: 1, length: 6 },
        tcb: FieldPlace { position: 7, length: 5 },
        sib: FieldPlace { position: 12, length: 1 },
        ..Self::EMPTY
    };

    /// The layout of the samples for a display of three digits: all of them the code value.
    pub const DISPLAY_3: Self = Self { cv: FieldPlace { position: 1, length: 3 }, ..Self::EMPTY };

    /// The layout of the samples for a display of four digits: the code value (3) and the counter's last digit.
    pub const DISPLAY_4: Self = Self { tcb: FieldPlace { position: 4, length: 1 }, ..Self::DISPLAY_3 };

    const EMPTY: Self = {
        let nowhere = FieldPlace { position: 0, length: 0 };
        Self { tib: nowhere, cv: nowhere, tcb: nowhere, sib: nowhere }
    };

    fn places(&self) -> [(&'static str, FieldPlace); 4] {
        [("TIB", self.tib), ("CV", self.cv), ("TCB", self.tcb), ("SIB", self.sib)]
    }

    /// Checks that the layout can be used with carriers of this number of digits.
    pub fn check(&self, carrier_length: usize) -> Result<(), LayoutError> {
        if self.cv.length == 0 {
            return Err(LayoutError::NoCodeValue);
        }
        let places = self.places();
        for (i, (name, place)) in places.iter().enumerate().filter(|(_, (_, place))| place.length > 0) {
            if place.length > Self::LENGTH_MAX {
                return Err(LayoutError::TooLong(name));
            }
            if place.position == 0 || place.position - 1 + place.length > carrier_length {
                return Err(LayoutError::Outside(name));
            }
            if let Some((other, _)) = places[i + 1..].iter().find(|(_, other)| place.overlaps(*other)) {
                return Err(LayoutError::Overlap(name, other));
            }
        }
        Ok(())
    }

    /// Takes the sub-fields out of a carrier: discretionary data, or the security code of a card that is not present.
    /// `None` if the carrier is too short or has other characters than digits.
    pub fn read(&self, carrier: &str) -> Option<SubFields> {
        if !all_digits(carrier) {
            return None;
        }
        let of = |place: FieldPlace| place.of(carrier).map(str::to_owned);
        Some(SubFields { tib: of(self.tib)?, cv: of(self.cv)?, tcb: of(self.tcb)?, sib: of(self.sib)? })
    }

    /// The carrier with the sub-fields written over it; other digits stay. `None` where a sub-field has another
    /// length than its place, or the carrier is too short.
    pub fn write(&self, carrier: &str, fields: &SubFields) -> Option<String> {
        let mut carrier = carrier.to_owned();
        let values = [&fields.tib, &fields.cv, &fields.tcb, &fields.sib];
        for ((_, place), value) in self.places().into_iter().zip(values) {
            if place.of(&carrier)?.len() != value.len() {
                return None;
            }
            if place.length > 0 {
                carrier.replace_range(place.position - 1..place.position - 1 + place.length, value);
            }
        }
        Some(carrier)
    }
}

impl FromStr for Layout {
    type Err = LayoutError;

    /// Sub-fields as `cv=1:6,tcb=7:5,sib=12:1`: position and length of each that is not left out.
    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let mut layout = Self::default();
        for part in text.split(',') {
            let (name, place) = part.split_once('=').ok_or(LayoutError::Text)?;
            let (position, length) = place.split_once(':').ok_or(LayoutError::Text)?;
            let number = |digits: &str| digits.trim().parse().map_err(|_| LayoutError::Text);
            let place = FieldPlace::new(number(position)?, number(length)?);
            match name.trim() {
                "tib" => layout.tib = place,
                "cv" => layout.cv = place,
                "tcb" => layout.tcb = place,
                "sib" => layout.sib = place,
                _ => return Err(LayoutError::Text),
            }
        }
        Ok(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_fields_there_and_back() {
        let carrier = "1234560001719";
        let fields = Layout::SAMPLE.read(carrier).expect("13 digits");
        let expected =
            SubFields { tib: String::new(), cv: "123456".into(), tcb: "00017".into(), sib: "1".into() };
        assert_eq!(fields, expected);
        assert_eq!(Layout::SAMPLE.write("9999999999999", &fields).as_deref(), Some(carrier));
        assert_eq!(Layout::SAMPLE.read("12345600017"), None, "too short");
        assert_eq!(Layout::SAMPLE.read("12345600O1719"), None, "a letter");
        assert_eq!(Layout::SAMPLE.write("99", &fields), None);
    }

    #[test]
    fn which_layouts_can_be_used() {
        use LayoutError::*;
        let with = |cv: (usize, usize), tcb: (usize, usize)| Layout {
            cv: FieldPlace::new(cv.0, cv.1),
            tcb: FieldPlace::new(tcb.0, tcb.1),
            ..Layout::default()
        };
        for (layout, expected) in [
            (Layout::SAMPLE, Ok(())),
            (Layout::DISPLAY_3, Ok(())),
            (Layout::DISPLAY_4, Ok(())),
            (with((1, 3), (0, 0)), Ok(())),
            (with((0, 0), (1, 4)), Err(NoCodeValue)),
            (with((1, 10), (0, 0)), Err(TooLong("CV"))),
            (with((1, 4), (4, 2)), Err(Overlap("CV", "TCB"))),
            (with((1, 4), (12, 3)), Err(Outside("TCB"))),
            (with((0, 4), (5, 3)), Err(Outside("CV"))),
        ] {
            assert_eq!(layout.check(13), expected, "{layout:?}");
        }
    }

    #[test]
    fn a_layout_as_text() {
        assert_eq!(
            "cv=1:6,tcb=7:5,sib=12:1".parse(),
            Ok(Layout { tib: FieldPlace::default(), ..Layout::SAMPLE })
        );
        for wrong in ["", "cv", "cv=1", "cv=1:x", "pin=1:4"] {
            assert_eq!(wrong.parse::<Layout>(), Err(LayoutError::Text), "{wrong}");
        }
    }
}
