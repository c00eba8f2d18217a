//! The door for programs: a CALL with the bytes of its arguments in, the same bytes as the service leaves them out.
//!
//! Whole numbers are four bytes, big-endian (`PIC S9(9) BINARY` as compiled here); seconds are a COMP-2 of this
//! machine; texts that are read have a halfword length before them; texts that are written have a fixed length.

use std::ops::Deref;

use cobol_runtime::floating::{Hex, Width};
use smallvec::SmallVec;

use crate::abend::{Abend, abend};
use crate::calendar::date_of;
use crate::century::{CENTURY_START, CenturyWindow, set_century};
use crate::feedback::{Feedback, SUCCESS};
use crate::services::{
    Fields, Now, Text, cobol_days, date, datm, day_of_week, days, gmt, gmt_offset, isec, local_day,
    local_time, seci, secs, vstring,
};
use crate::write::TEXT_LENGTH;

/// The services that [`call`] knows.
pub const SERVICES: &[&str] = &[
    "CEE3ABD", "CEE3DMP", "CEECBLDY", "CEEDATE", "CEEDATM", "CEEDAYS", "CEEDYWK", "CEEGMT", "CEEGMTO",
    "CEEISEC", "CEELOCT", "CEEMOUT", "CEEQCEN", "CEESCEN", "CEESECI", "CEESECS", "CEEUTC",
];

/// The number of years before this one at which the century window starts. One for each run of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Century(i32);

impl Default for Century {
    fn default() -> Self {
        Self(CENTURY_START)
    }
}

impl Century {
    fn window(self, now: Clock<'_>) -> CenturyWindow {
        let this_year = this_year(now());
        set_century(this_year, self.0).unwrap_or(CenturyWindow::around(this_year))
    }
}

/// The work that a service leaves to its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: the arguments hold the whole result.
    Done,
    /// A condition of severity 2 or more, and the program gave no place for feedback: the run ends with abend U4038.
    Unhandled(Feedback),
    /// CEE3ABD: end the run.
    Abend(Abend),
    /// CEE3DMP: keep a dump under this title.
    Dump(Vec<u8>),
    /// CEEMOUT: write this message.
    Message(Vec<u8>),
}

/// A copy of an argument's storage: few are longer than the texts that are written.
#[derive(Clone, Debug, Default)]
pub struct Argument {
    bytes: SmallVec<[u8; TEXT_LENGTH]>,
    changed: bool,
}

impl Argument {
    /// An argument of this many bytes, as `fill` leaves them.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn filled<E>(length: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = SmallVec::from_elem(0, length);
        fill(&mut bytes)?;
        Ok(Self { bytes, changed: false })
    }

    /// The new content of the storage, if a service has changed it.
    pub fn changed(&self) -> Option<&[u8]> {
        self.changed.then_some(&*self.bytes)
    }

    fn set(&mut self, bytes: &[u8]) {
        let length = bytes.len().min(self.bytes.len());
        let (into, bytes) = (&mut self.bytes[..length], &bytes[..length]);
        self.changed |= into != bytes;
        into.copy_from_slice(bytes);
    }
}

/// By their bytes.
impl PartialEq for Argument {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Deref for Argument {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<&[u8]> for Argument {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: SmallVec::from_slice(bytes), changed: false }
    }
}

/// Returns the time; called only by a service that needs it.
type Clock<'a> = &'a dyn Fn() -> Now;

/// Bytes of a long floating-point number.
const LONG_FLOAT: usize = 8;

/// The arguments of one CALL: copies of the storage, `None` if OMITTED. An argument that is too short is read as if
/// zeros followed, and written as far as it goes.
struct Arguments<'a>(&'a mut [Option<Argument>]);

impl Arguments<'_> {
    fn bytes(&self, at: usize) -> &[u8] {
        self.0.get(at).and_then(Option::as_deref).unwrap_or_default()
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let bytes = self.bytes(at);
        if let Some(array) = bytes.first_chunk() {
            return *array;
        }
        let mut array = [0; N];
        array[..bytes.len()].copy_from_slice(bytes);
        array
    }

    fn text(&self, at: usize) -> &[u8] {
        vstring(self.bytes(at))
    }

    fn whole(&self, at: usize) -> i32 {
        i32::from_be_bytes(self.array(at))
    }

    fn seconds(&self, at: usize) -> f64 {
        Hex::from_bytes(&self.array::<LONG_FLOAT>(at)).to_f64()
    }

    fn set(&mut self, at: usize, bytes: &[u8]) {
        if let Some(Some(argument)) = self.0.get_mut(at) {
            argument.set(bytes);
        }
    }

    fn set_whole(&mut self, at: usize, number: i32) {
        self.set(at, &number.to_be_bytes());
    }

    fn set_seconds(&mut self, at: usize, seconds: f64) {
        // A number of seconds is never too large for hexadecimal floating point.
        let number = Hex::from_f64(seconds).and_then(|number| number.to_bytes(Width::Long));
        self.set(at, &number.unwrap_or_else(|| vec![0; LONG_FLOAT]));
    }

    /// Stores a day, or 0, and returns the feedback.
    fn store_whole(&mut self, at: usize, result: Result<i32, Feedback>) -> Option<Feedback> {
        self.set_whole(at, result.unwrap_or(0));
        result.err()
    }

    /// Stores seconds, or 0, and returns the feedback.
    fn store_seconds(&mut self, at: usize, result: Result<f64, Feedback>) -> Option<Feedback> {
        self.set_seconds(at, result.unwrap_or(0.0));
        result.err()
    }

    fn store_text(&mut self, at: usize, text: &Text) -> Option<Feedback> {
        self.set(at, &text.text);
        text.feedback
    }

    /// Stores feedback; returns it as unhandled if there is no place for it.
    fn answer(&mut self, at: usize, feedback: Option<Feedback>) -> Answer {
        let wanted = self.0.get(at).is_some_and(Option::is_some);
        self.set(at, &feedback.map_or(SUCCESS, Feedback::token));
        match feedback {
            Some(feedback) if !wanted && feedback.severity >= 2 => Answer::Unhandled(feedback),
            _ => Answer::Done,
        }
    }
}

/// Answers a CALL; `None` if there is no such service. Arguments that the service writes are changed where they are.
pub fn call(
    name: &str,
    arguments: &mut [Option<Argument>],
    now: Clock<'_>,
    century: &mut Century,
) -> Option<Answer> {
    let arguments = &mut Arguments(arguments);
    reading(name, arguments, now, *century)
        .or_else(|| writing(name, arguments))
        .or_else(|| clock(name, arguments, now))
        .or_else(|| control(name, arguments, now, century))
}

/// The services that read a text.
fn reading(name: &str, arguments: &mut Arguments<'_>, now: Clock<'_>, century: Century) -> Option<Answer> {
    let window = || century.window(now);
    let (text, picture) = (arguments.text(0), arguments.text(1));
    let feedback = match name {
        "CEEDAYS" => {
            let day = days(text, picture, window());
            arguments.store_whole(2, day)
        }
        "CEECBLDY" => {
            let day = cobol_days(text, picture, window());
            arguments.store_whole(2, day)
        }
        "CEESECS" => {
            let seconds = secs(text, picture, window());
            arguments.store_seconds(2, seconds)
        }
        _ => return None,
    };
    Some(arguments.answer(3, feedback))
}

/// The services that turn a day or seconds into something else.
fn writing(name: &str, arguments: &mut Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "CEEDATE" => {
            let text = date(arguments.whole(0), arguments.text(1));
            let feedback = arguments.store_text(2, &text);
            arguments.answer(3, feedback)
        }
        "CEEDATM" => {
            let text = datm(arguments.seconds(0), arguments.text(1));
            let feedback = arguments.store_text(2, &text);
            arguments.answer(3, feedback)
        }
        "CEEDYWK" => {
            let day = day_of_week(arguments.whole(0));
            let feedback = arguments.store_whole(1, day);
            arguments.answer(2, feedback)
        }
        "CEESECI" => to_integers(arguments),
        "CEEISEC" => from_integers(arguments),
        _ => return None,
    })
}

/// The services that return the time.
fn clock(name: &str, arguments: &mut Arguments<'_>, now: Clock<'_>) -> Option<Answer> {
    Some(match name {
        "CEELOCT" => local(arguments, now()),
        "CEEGMT" | "CEEUTC" => {
            let time = gmt(now());
            arguments.store_whole(0, time.map(|(lilian, _)| lilian));
            let feedback = arguments.store_seconds(1, time.map(|(_, seconds)| seconds));
            arguments.answer(2, feedback)
        }
        "CEEGMTO" => {
            let offset = gmt_offset(now());
            arguments.set_whole(0, offset.hours);
            arguments.set_whole(1, offset.minutes);
            arguments.set_seconds(2, offset.seconds);
            arguments.answer(3, None)
        }
        _ => return None,
    })
}

/// The services that change the run, or ask the caller to.
fn control(
    name: &str,
    arguments: &mut Arguments<'_>,
    now: Clock<'_>,
    century: &mut Century,
) -> Option<Answer> {
    Some(match name {
        "CEESCEN" => {
            let start = arguments.whole(0);
            let feedback = set_century(this_year(now()), start).err();
            if feedback.is_none() {
                *century = Century(start);
            }
            arguments.answer(1, feedback)
        }
        "CEEQCEN" => {
            arguments.set_whole(0, century.0);
            arguments.answer(1, None)
        }
        "CEE3ABD" => Answer::Abend(abend(arguments.whole(0), arguments.whole(1))),
        "CEE3DMP" => {
            arguments.answer(2, None);
            Answer::Dump(arguments.bytes(0).trim_ascii_end().to_vec())
        }
        "CEEMOUT" => {
            arguments.answer(2, None);
            Answer::Message(arguments.text(0).to_vec())
        }
        _ => return None,
    })
}

/// The year in which two digits are read.
fn this_year(now: Now) -> i32 {
    local_day(now).map_or(0, |lilian| date_of(lilian).0)
}

fn local(arguments: &mut Arguments<'_>, now: Now) -> Answer {
    let time = local_time(now);
    arguments.store_whole(0, time.map(|local| local.lilian));
    let feedback = arguments.store_seconds(1, time.map(|local| local.seconds));
    arguments.set(2, &time.map_or([b' '; 17], |local| local.gregorian));
    arguments.answer(3, feedback)
}

fn to_integers(arguments: &mut Arguments<'_>) -> Answer {
    let fields = seci(arguments.seconds(0));
    let Fields { year, month, day, hour, minute, second, millisecond } = fields.unwrap_or_default();
    for (number, at) in [year, month, day, hour, minute, second, millisecond].into_iter().zip(1..) {
        arguments.set_whole(at, number);
    }
    arguments.answer(8, fields.err())
}

fn from_integers(arguments: &mut Arguments<'_>) -> Answer {
    let number = |at| arguments.whole(at);
    let fields = Fields {
        year: number(0),
        month: number(1),
        day: number(2),
        hour: number(3),
        minute: number(4),
        second: number(5),
        millisecond: number(6),
    };
    let feedback = arguments.store_seconds(7, isec(fields));
    arguments.answer(8, feedback)
}
