//! From a date and a time to text by a picture.

use smallvec::SmallVec;

use crate::calendar::{MONTHS, Moment, ROMAN, WEEKDAYS, date_of, lilian, weekday};
use crate::feedback::Feedback;
use crate::picture::{Term, terms};

/// The length of the texts that CEEDATE and CEEDATM return.
pub const TEXT_LENGTH: usize = 80;

/// Year, month, day.
type Date = (i32, u32, u32);

/// The written text: mostly the result of a service.
pub(crate) type Written = SmallVec<[u8; TEXT_LENGTH]>;

/// The text of a moment by a picture.
pub(crate) fn text(moment: Moment, picture: &[u8]) -> Result<Written, Feedback> {
    let terms = terms(picture)?;
    let halves = terms.iter().any(|term| matches!(term, Term::Half { .. }));
    let date = date_of(moment.lilian);
    let mut out = Written::new();
    for term in &terms {
        write((moment, date), term, halves, &mut out);
    }
    Ok(out)
}

fn write((moment, date): (Moment, Date), term: &Term<'_>, halves: bool, out: &mut Written) {
    let (year, month, day) = date;
    let seconds = (moment.milliseconds / 1000) as u32;
    let hour = seconds / 3600;
    let month_at = month as usize - 1;
    match term {
        Term::Year { digits } => {
            let shown = year as u32 % 10u32.pow(*digits as u32);
            digits_of(shown, *digits, out);
        }
        Term::Month { suppress } => two(month, *suppress, out),
        Term::Roman { suppress } => name(ROMAN[month_at], b"RRRR", *suppress, out),
        Term::MonthName { case, suppress } => name(MONTHS[month_at], case, *suppress, out),
        Term::Day { suppress } => two(day, *suppress, out),
        Term::DayOfYear => {
            let number = i64::from(moment.lilian) - lilian(year, 1, 1) + 1;
            digits_of(number as u32, 3, out);
        }
        Term::Hour { suppress } if halves => two((hour + 11) % 12 + 1, *suppress, out),
        Term::Hour { suppress } => two(hour, *suppress, out),
        Term::Minute => two(seconds / 60 % 60, false, out),
        Term::Second => two(seconds % 60, false, out),
        Term::Fraction { digits } => {
            let shown = (moment.milliseconds % 1000) as u32 / 10u32.pow(3 - *digits as u32);
            digits_of(shown, *digits, out);
        }
        Term::Half { dots, lower } => half(hour >= 12, *dots, *lower, out),
        Term::Weekday { case, suppress } => {
            name(WEEKDAYS[weekday(moment.lilian) as usize - 1], case, *suppress, out)
        }
        Term::Literal(byte) => out.push(*byte),
    }
}

/// Two digits; without the leading zero if that is suppressed.
fn two(number: u32, suppress: bool, out: &mut Written) {
    digits_of(number, if suppress && number < 10 { 1 } else { 2 }, out);
}

/// The last `count` digits of a number.
fn digits_of(number: u32, count: usize, out: &mut Written) {
    /// The value of each digit's place: no picture asks for more than four.
    const PLACES: [u32; 4] = [1, 10, 100, 1000];
    for place in PLACES[..count].iter().rev() {
        out.push(b'0' + (number / place % 10) as u8);
    }
}

/// A name in the case of the picture's letters: cut to as many, and filled with blanks unless they are suppressed.
fn name(name: &str, case: &[u8], suppress: bool, out: &mut Written) {
    for (at, wanted) in case.iter().enumerate() {
        match name.as_bytes().get(at) {
            Some(letter) if wanted.is_ascii_lowercase() => out.push(letter.to_ascii_lowercase()),
            Some(letter) => out.push(*letter),
            None if suppress => return,
            None => out.push(b' '),
        }
    }
}

fn half(afternoon: bool, dots: bool, lower: bool, out: &mut Written) {
    let text = match (afternoon, dots) {
        (false, false) => "AM",
        (true, false) => "PM",
        (false, true) => "A.M.",
        (true, true) => "P.M.",
    };
    out.extend(text.bytes().map(|byte| if lower { byte.to_ascii_lowercase() } else { byte }));
}
