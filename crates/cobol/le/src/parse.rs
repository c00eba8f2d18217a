//! From text and picture to a date and a time.

use crate::calendar::{LAST_LILIAN, MONTHS, Moment, ROMAN, days_in_month, is_leap, lilian};
use crate::century::CenturyWindow;
use crate::feedback::Feedback;
use crate::picture::{Term, terms};

/// The values read from a text, as far as it has them.
#[derive(Default)]
struct Said {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    hour: u32,
    minute: u32,
    second: u32,
    milliseconds: u32,
    /// True for the second half of the day; `None` if the text has neither AM nor PM.
    afternoon: Option<bool>,
}

/// Reads a text by a picture. `mismatch` is the error where the text does not fit.
pub(crate) fn moment(
    text: &[u8],
    picture: &[u8],
    window: CenturyWindow,
    mismatch: Feedback,
) -> Result<Moment, Feedback> {
    let terms = terms(picture)?;
    enough(&terms)?;
    let leading = terms.iter().take_while(|term| **term == Term::Literal(b' ')).count();
    let start =
        if leading > 0 { leading.min(text.len()) } else { text.len() - text.trim_ascii_start().len() };
    let mut reader = Reader { rest: text[start..].trim_ascii_end(), window, mismatch, said: Said::default() };
    let terms = &terms[leading..];
    for (at, term) in terms.iter().enumerate() {
        if reader.rest.is_empty() && terms[at..].iter().all(is_time) {
            break;
        }
        reader.term(term, terms.get(at + 1))?;
    }
    reader.said.moment()
}

/// A picture must ask for year, month and day, or year and day of the year.
fn enough(terms: &[Term<'_>]) -> Result<(), Feedback> {
    let asks = |wanted: fn(&Term) -> bool| terms.iter().any(wanted);
    let year = asks(|term| matches!(term, Term::Year { .. }));
    let month = asks(|t| matches!(t, Term::Month { .. } | Term::MonthName { .. } | Term::Roman { .. }));
    let day = asks(|term| matches!(term, Term::Day { .. }));
    let day_of_year = asks(|term| matches!(term, Term::DayOfYear));
    if !(year || month || day || day_of_year) {
        return Err(Feedback::PICTURE);
    }
    if year && (day_of_year || month && day) { Ok(()) } else { Err(Feedback::INSUFFICIENT) }
}

/// Returns true if a term may be left out at the end of a text.
fn is_time(term: &Term) -> bool {
    matches!(
        term,
        Term::Hour { .. }
            | Term::Minute
            | Term::Second
            | Term::Fraction { .. }
            | Term::Half { .. }
            | Term::Literal(_)
    )
}

struct Reader<'a> {
    rest: &'a [u8],
    window: CenturyWindow,
    mismatch: Feedback,
    said: Said,
}

impl Reader<'_> {
    fn term(&mut self, term: &Term, next: Option<&Term>) -> Result<(), Feedback> {
        // If something other than a digit follows, leading zeros may be left out.
        let short = matches!(next, None | Some(Term::Literal(_)));
        match term {
            Term::Year { digits } => self.said.year = Some(self.year(*digits)?),
            Term::Month { .. } => self.said.month = Some(self.number(2, short)?),
            Term::Roman { suppress } => self.said.month = Some(self.name(&ROMAN, 4, *suppress, true)?),
            Term::MonthName { case, suppress } => {
                self.said.month = Some(self.name(&MONTHS, case.len(), *suppress, false)?);
            }
            Term::Day { .. } => self.said.day = Some(self.number(2, short)?),
            Term::DayOfYear => self.said.day_of_year = Some(self.number(3, short)?),
            Term::Hour { .. } => self.said.hour = self.number(2, short)?,
            Term::Minute => self.said.minute = self.number(2, short)?,
            Term::Second => self.said.second = self.number(2, short)?,
            Term::Fraction { digits } => {
                let tens = 10u32.pow(3 - (*digits).min(3) as u32);
                self.said.milliseconds = self.number(*digits, false)? * tens;
            }
            Term::Half { dots, .. } => self.said.afternoon = Some(self.half(*dots)?),
            Term::Weekday { case, .. } => self.skip_name(case.len()),
            Term::Literal(b' ') => self.rest = self.rest.trim_ascii_start(),
            Term::Literal(_) => self.delimiter()?,
        }
        Ok(())
    }

    /// Reads a delimiter, which holds a place: any character that is not a digit will do.
    fn delimiter(&mut self) -> Result<(), Feedback> {
        match self.rest.split_first() {
            Some((byte, rest)) if !byte.is_ascii_digit() => {
                self.rest = rest;
                Ok(())
            }
            _ => Err(self.mismatch),
        }
    }

    /// A number of this many digits, or fewer if it may be short.
    fn number(&mut self, digits: usize, short: bool) -> Result<u32, Feedback> {
        let found = self.rest.iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
        if found == 0 || (found < digits && !short) {
            return Err(self.mismatch);
        }
        let (number, rest) = self.rest.split_at(found);
        self.rest = rest;
        Ok(number.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    fn year(&mut self, digits: usize) -> Result<i32, Feedback> {
        if !matches!(digits, 2 | 4) {
            // One or three digits say a year only within an era.
            return Err(Feedback::PICTURE);
        }
        let number = self.number(digits, false)? as i32;
        Ok(if digits == 2 { self.window.year(number) } else { number })
    }

    /// Reads a name from a list, of which a picture shows `width` letters; returns its number from 1. The longest that
    /// fits counts.
    fn name(&mut self, names: &[&str], width: usize, suppress: bool, whole: bool) -> Result<u32, Feedback> {
        let fits = |name: &&str| {
            let shown = if whole { name.len() } else { name.len().min(width) };
            let start = self.rest.get(..shown)?;
            start.eq_ignore_ascii_case(&name.as_bytes()[..shown]).then_some(shown)
        };
        let found = names.iter().zip(1u32..).filter_map(|(name, number)| Some((fits(name)?, number))).max();
        let (length, number) = found.ok_or(Feedback::MONTH)?;
        self.rest = &self.rest[length..];
        if !suppress {
            let blanks =
                self.rest.iter().take(width.saturating_sub(length)).take_while(|b| **b == b' ').count();
            self.rest = &self.rest[blanks..];
        }
        Ok(number)
    }

    /// The name of a day of the week says nothing that is not known.
    fn skip_name(&mut self, width: usize) {
        let letters = self.rest.iter().take(width).take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.rest = &self.rest[letters..];
    }

    fn half(&mut self, dots: bool) -> Result<bool, Feedback> {
        let halves: [(&[u8], bool); 2] =
            if dots { [(b"A.M.", false), (b"P.M.", true)] } else { [(b"AM", false), (b"PM", true)] };
        for (text, afternoon) in halves {
            if self.rest.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text)) {
                self.rest = &self.rest[text.len()..];
                return Ok(afternoon);
            }
        }
        Err(self.mismatch)
    }
}

impl Said {
    fn moment(self) -> Result<Moment, Feedback> {
        let year = self.year.ok_or(Feedback::INSUFFICIENT)?;
        let day = match (self.month, self.day, self.day_of_year) {
            (Some(month), Some(day), _) => {
                if !(1..=12).contains(&month) {
                    return Err(Feedback::MONTH);
                }
                if !(1..=days_in_month(year, month)).contains(&day) {
                    return Err(Feedback::DATE);
                }
                lilian(year, month, day)
            }
            (_, _, Some(day)) => {
                if !(1..=365 + u32::from(is_leap(year))).contains(&day) {
                    return Err(Feedback::DATE);
                }
                lilian(year, 1, 1) + i64::from(day) - 1
            }
            _ => return Err(Feedback::INSUFFICIENT),
        };
        let lilian = i32::try_from(day).ok().filter(|day| (1..=LAST_LILIAN).contains(day));
        Ok(Moment { lilian: lilian.ok_or(Feedback::DATE_RANGE)?, milliseconds: self.milliseconds_of_day()? })
    }

    fn milliseconds_of_day(&self) -> Result<i64, Feedback> {
        let hour = match self.afternoon {
            None if self.hour <= 23 => self.hour,
            Some(afternoon) if (1..=12).contains(&self.hour) => {
                self.hour % 12 + if afternoon { 12 } else { 0 }
            }
            _ => return Err(Feedback::HOUR),
        };
        if self.minute > 59 {
            return Err(Feedback::MINUTE);
        }
        if self.second > 59 {
            return Err(Feedback::SECOND);
        }
        let seconds = (hour * 60 + self.minute) * 60 + self.second;
        Ok(i64::from(seconds) * 1000 + i64::from(self.milliseconds))
    }
}
