//! Formats of TIMESTAMP_FORMAT and VARCHAR_FORMAT.

use super::date::Date;
use super::time::Time;
use super::timestamp::Timestamp;
use crate::unfit::Unfit;

/// A format: what stands in a text, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format(Vec<Element>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Year,
    YearOfCentury,
    NearYear,
    Month,
    MonthName,
    MonthAbbreviation,
    Day,
    DayOfYear,
    Hour24,
    Hour12,
    Half,
    Minute,
    Second,
    SecondOfDay,
    Fraction(u8),
    Mark(u8),
}

/// The words of formats, a longer one before those that it begins with.
const WORDS: [(&str, Element); 19] = [
    ("YYYY", Element::Year),
    ("RRRR", Element::Year),
    ("YY", Element::YearOfCentury),
    ("RR", Element::NearYear),
    ("MONTH", Element::MonthName),
    ("MON", Element::MonthAbbreviation),
    ("MM", Element::Month),
    ("MI", Element::Minute),
    ("DDD", Element::DayOfYear),
    ("DD", Element::Day),
    ("HH24", Element::Hour24),
    ("HH12", Element::Hour12),
    ("HH", Element::Hour12),
    ("SSSSS", Element::SecondOfDay),
    ("SS", Element::Second),
    ("NNNNNN", Element::Fraction(6)),
    ("FF", Element::Fraction(6)),
    ("AM", Element::Half),
    ("PM", Element::Half),
];

const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
const ABBREVIATION: usize = 3;
const MARKS: &[u8] = b" -./,':;";

impl Format {
    /// Reads a format.
    ///
    /// # Errors
    /// -20447: it is none.
    pub fn parse(text: &[u8]) -> Result<Self, Unfit> {
        let text = text.trim_ascii().to_ascii_uppercase();
        let mut rest = text.as_slice();
        let mut elements = Vec::new();
        while let Some(&first) = rest.first() {
            let word = WORDS.iter().find(|(word, _)| rest.starts_with(word.as_bytes()));
            let (element, length) = match word {
                _ if MARKS.contains(&first) => (Element::Mark(first), 1),
                Some((word, Element::Fraction(_))) => fraction(rest, word.len())?,
                Some((word, element)) => (*element, word.len()),
                None => return Err(Unfit::FORMAT),
            };
            elements.push(element);
            rest = &rest[length..];
        }
        if elements.is_empty() { Err(Unfit::FORMAT) } else { Ok(Self(elements)) }
    }

    /// A timestamp as text.
    pub fn text(&self, timestamp: Timestamp) -> String {
        let (date, time) = (timestamp.date(), timestamp.time());
        let month = MONTHS[date.month() as usize - 1];
        let hour12 = (time.hour() + 11) % 12 + 1;
        let parts = self.0.iter().map(|element| match element {
            Element::Year => format!("{:04}", date.year()),
            Element::YearOfCentury | Element::NearYear => format!("{:02}", date.year() % 100),
            Element::Month => format!("{:02}", date.month()),
            Element::MonthName => month.to_owned(),
            Element::MonthAbbreviation => month[..ABBREVIATION].to_owned(),
            Element::Day => format!("{:02}", date.day()),
            Element::DayOfYear => format!("{:03}", date.day_of_year()),
            Element::Hour24 => format!("{:02}", time.hour()),
            Element::Hour12 => format!("{hour12:02}"),
            Element::Half => (if time.hour() < 12 { "AM" } else { "PM" }).to_owned(),
            Element::Minute => format!("{:02}", time.minute()),
            Element::Second => format!("{:02}", time.second()),
            Element::SecondOfDay => format!("{:05}", time.seconds()),
            Element::Fraction(digits) => {
                format!("{:012}", timestamp.fraction())[..usize::from(*digits)].to_owned()
            }
            Element::Mark(mark) => char::from(*mark).to_string(),
        });
        parts.collect()
    }

    /// Reads a timestamp. A year, a month that are not given are those of `now`; a day is the first, a time midnight.
    ///
    /// # Errors
    /// -20448: the text is not as the format says, or there is no such time.
    pub fn read(&self, text: &[u8], now: Timestamp) -> Result<Timestamp, Unfit> {
        let text = text.trim_ascii().to_ascii_uppercase();
        let mut found =
            Found { year: now.date().year(), month: now.date().month(), day: 1, ..Found::default() };
        let mut rest = text.as_slice();
        for element in &self.0 {
            rest = found.take(*element, rest, now.date().year()).ok_or(Unfit::UNLIKE)?;
        }
        if !rest.is_empty() {
            return Err(Unfit::UNLIKE);
        }
        found.timestamp().ok_or(Unfit::UNLIKE)
    }
}

/// FF and a digit or two, or six to twelve times N: its digits, and the length of the word.
fn fraction(rest: &[u8], word: usize) -> Result<(Element, usize), Unfit> {
    let (digits, length) = if rest[0] == b'N' {
        let length = rest.iter().take_while(|byte| **byte == b'N').count();
        (length, length)
    } else {
        let count = rest[word..].iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
        let digits =
            rest[word..word + count].iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        (if count == 0 { 6 } else { digits }, word + count)
    };
    match u8::try_from(digits) {
        Ok(digits @ 1..=12) => Ok((Element::Fraction(digits), length)),
        _ => Err(Unfit::FORMAT),
    }
}

/// Parts of a timestamp while its text is read.
#[derive(Default)]
struct Found {
    year: u32,
    month: u32,
    day: u32,
    day_of_year: Option<u32>,
    hour: u32,
    half: Option<bool>,
    minute: u32,
    second: u32,
    second_of_day: Option<u32>,
    fraction: u64,
}

impl Found {
    /// Takes an element from the front of a text; what is behind it comes back.
    fn take<'t>(&mut self, element: Element, text: &'t [u8], this_year: u32) -> Option<&'t [u8]> {
        let number = |most: usize| {
            let digits = text.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
            let number = text[..digits].iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
            (digits > 0).then_some((number, &text[digits..]))
        };
        let (number, rest) = match element {
            Element::Mark(mark) => return text.strip_prefix(&[mark]),
            Element::MonthName | Element::MonthAbbreviation => return self.take_month(element, text),
            Element::Half => {
                self.half = Some(text.starts_with(b"PM"));
                return text.strip_prefix(b"AM").or(text.strip_prefix(b"PM"));
            }
            Element::Fraction(digits) => return self.take_fraction(digits.into(), text),
            Element::Year => number(4)?,
            Element::SecondOfDay => number(5)?,
            Element::DayOfYear => number(3)?,
            _ => number(2)?,
        };
        match element {
            Element::Year => self.year = number,
            Element::YearOfCentury => self.year = this_year / 100 * 100 + number,
            Element::NearYear => self.year = near(number, this_year),
            Element::Month => self.month = number,
            Element::Day => self.day = number,
            Element::DayOfYear => self.day_of_year = Some(number),
            Element::Hour24 => self.hour = number,
            Element::Hour12 => self.hour = (1..=12).contains(&number).then_some(number)?,
            Element::Minute => self.minute = number,
            Element::Second => self.second = number,
            _ => self.second_of_day = Some(number),
        }
        Some(rest)
    }

    fn take_month<'t>(&mut self, element: Element, text: &'t [u8]) -> Option<&'t [u8]> {
        let name =
            |month: &'static str| if element == Element::MonthName { month } else { &month[..ABBREVIATION] };
        let found = MONTHS.iter().position(|month| text.starts_with(name(month).as_bytes()))?;
        self.month = found as u32 + 1;
        Some(&text[name(MONTHS[found]).len()..])
    }

    fn take_fraction<'t>(&mut self, most: usize, text: &'t [u8]) -> Option<&'t [u8]> {
        let digits = text.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let padded = text[..digits].iter().copied().chain(std::iter::repeat(b'0')).take(12);
        self.fraction = padded.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        (digits > 0).then_some(&text[digits..])
    }

    fn timestamp(&self) -> Option<Timestamp> {
        let mut date = Date::new(self.year, self.month, self.day).ok()?;
        if let Some(day) = self.day_of_year {
            let first = Date::new(self.year, 1, 1).ok()?;
            date = Date::from_days(first.days() + i32::try_from(day).ok()? - 1)?;
            if date.year() != self.year {
                return None;
            }
        }
        let hour = match self.half {
            Some(is_second) => self.hour % 12 + 12 * u32::from(is_second),
            None => self.hour,
        };
        let time = match self.second_of_day {
            Some(seconds) => Time::from_seconds(seconds)?,
            None => Time::new(hour, self.minute, self.second).ok()?,
        };
        Timestamp::of(date, time, self.fraction).ok()
    }
}

/// The year of two digits that is near: both halves of a century lie in the century that is nearer to this year.
fn near(number: u32, this_year: u32) -> u32 {
    let (century, of_century) = (this_year / 100, this_year % 100);
    let century = match (of_century < 50, number < 50) {
        (true, false) => century - 1,
        (false, true) => century + 1,
        _ => century,
    };
    century * 100 + number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse(b"2026-11-29-10.00.00").unwrap()
    }

    fn read(text: &str, format: &str) -> Result<String, i32> {
        let format = Format::parse(format.as_bytes()).map_err(|unfit| unfit.code)?;
        format.read(text.as_bytes(), now()).map(|at| at.text(6)).map_err(|unfit| unfit.code)
    }

    #[test]
    fn texts_are_read_as_their_format_says() {
        for (text, format, expected) in [
            ("26-11-29 10.30.05123456", "YY-MM-DD HH24.MI.SSNNNNNN", "2026-11-29-10.30.05.123456"),
            ("20240229", "YYYYMMDD", "2024-02-29-00.00.00.000000"),
            ("99", "RR", "1999-11-01-00.00.00.000000"),
            ("Feb 29, 2024 01:05 pm", "MON DD, YYYY HH:MI AM", "2024-02-29-13.05.00.000000"),
            ("2024.366", "YYYY.DDD", "2024-12-31-00.00.00.000000"),
            ("12 AM", "HH12 AM", "2026-11-01-00.00.00.000000"),
        ] {
            assert_eq!(read(text, format), Ok(expected.to_owned()), "{text} as {format}");
        }
        assert_eq!(read("20230229", "YYYYMMDD"), Err(-20_448));
        assert_eq!(read("2023-02", "YYYYMM"), Err(-20_448));
        assert_eq!(read("2023.366", "YYYY.DDD"), Err(-20_448));
        assert_eq!(read("2023", "YYYX"), Err(-20_447));
    }

    #[test]
    fn timestamps_are_shown_as_a_format_says() {
        let shown = |format: &str| Format::parse(format.as_bytes()).map(|format| format.text(now()));
        assert_eq!(shown("YYYY-MM-DD"), Ok("2026-11-29".to_owned()));
        assert_eq!(shown("dd.mon.rr hh12:mi pm ddd ff2"), Ok("29.NOV.26 10:00 AM 333 00".to_owned()));
    }
}
