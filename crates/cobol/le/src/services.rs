//! The services, each named for its call.

use crate::calendar::{
    COBOL_EPOCH, DAY, LAST_LILIAN, Moment, UNIX_EPOCH, date_of, days_in_month, lilian, weekday,
};
use crate::century::CenturyWindow;
use crate::feedback::Feedback;
use crate::parse::moment;
use crate::write::{self, TEXT_LENGTH};

/// The pictures in place of an empty one (COUNTRY(US)).
const DATE_PICTURE: &[u8] = b"MM/DD/YY";
const TIMESTAMP_PICTURE: &[u8] = b"MM/DD/YY HH:MI:SS AP";

/// Milliseconds of a day.
const DAY_MILLISECONDS: i64 = DAY * 1000;

/// A text of CEEDATE or CEEDATM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text, filled with blanks; only blanks if it could not be made.
    pub text: [u8; TEXT_LENGTH],
    /// The condition to report, if any.
    pub feedback: Option<Feedback>,
}

/// The text of a halfword-prefixed string in storage, never more than there is.
pub fn vstring(storage: &[u8]) -> &[u8] {
    let Some((&[high, low], text)) = storage.split_first_chunk() else { return &[] };
    let length = usize::from(u16::from_be_bytes([high, low]));
    &text[..length.min(text.len())]
}

/// CEEDAYS: the Lilian day of a date. On a condition the caller's Lilian day becomes 0.
pub fn days(text: &[u8], picture: &[u8], window: CenturyWindow) -> Result<i32, Feedback> {
    let picture = or_default(picture, DATE_PICTURE);
    moment(text, picture, window, Feedback::NOT_NUMERIC).map(|moment| moment.lilian)
}

/// CEECBLDY: the day of a date as COBOL counts, 1 being 1 January 1601. On a condition it becomes 0.
pub fn cobol_days(text: &[u8], picture: &[u8], window: CenturyWindow) -> Result<i32, Feedback> {
    let day = days(text, picture, window)? - COBOL_EPOCH;
    if day >= 1 { Ok(day) } else { Err(Feedback::DATE_RANGE) }
}

/// CEESECS: seconds from the start of 14 October 1582 to a timestamp. On a condition they become 0.
pub fn secs(text: &[u8], picture: &[u8], window: CenturyWindow) -> Result<f64, Feedback> {
    let picture = or_default(picture, TIMESTAMP_PICTURE);
    moment(text, picture, window, Feedback::TIMESTAMP_NOT_NUMERIC).map(seconds_of)
}

/// CEEDATE: a Lilian day as text.
pub fn date(lilian: i32, picture: &[u8]) -> Text {
    if !(1..=LAST_LILIAN).contains(&lilian) {
        return blank(Feedback::LILIAN_RANGE);
    }
    let moment = Moment { lilian, milliseconds: 0 };
    written(moment, or_default(picture, DATE_PICTURE), Feedback::DATE_CUT)
}

/// CEEDATM: seconds as text.
pub fn datm(seconds: f64, picture: &[u8]) -> Text {
    match moment_of(seconds) {
        Ok(moment) => written(moment, or_default(picture, TIMESTAMP_PICTURE), Feedback::TIMESTAMP_CUT),
        Err(feedback) => blank(feedback),
    }
}

/// CEEDYWK: the day of the week, 1 being Sunday. On a condition it becomes 0.
pub fn day_of_week(lilian: i32) -> Result<i32, Feedback> {
    if !(1..=LAST_LILIAN).contains(&lilian) {
        return Err(Feedback::LILIAN_RANGE);
    }
    Ok(weekday(lilian) as i32)
}

/// A date and a time as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says its name")]
pub struct Fields {
    pub year: i32,
    pub month: i32,
    pub day: i32,
    pub hour: i32,
    pub minute: i32,
    pub second: i32,
    pub millisecond: i32,
}

/// CEESECI: seconds as numbers. On a condition they all become 0.
pub fn seci(seconds: f64) -> Result<Fields, Feedback> {
    let moment = moment_of(seconds)?;
    let (year, month, day) = date_of(moment.lilian);
    let of_day = moment.milliseconds as i32;
    Ok(Fields {
        year,
        month: month as i32,
        day: day as i32,
        hour: of_day / 3_600_000,
        minute: of_day / 60_000 % 60,
        second: of_day / 1000 % 60,
        millisecond: of_day % 1000,
    })
}

/// CEEISEC: numbers as seconds. On a condition they become 0.
pub fn isec(fields: Fields) -> Result<f64, Feedback> {
    let Fields { year, month, day, hour, minute, second, millisecond } = fields;
    let checks = [
        ((1582..=9999).contains(&year), Feedback::YEAR),
        ((1..=12).contains(&month), Feedback::MONTH),
        (day >= 1 && day as u32 <= days_in_month(year, month as u32), Feedback::DAY),
        ((0..=23).contains(&hour), Feedback::HOUR),
        ((0..=59).contains(&minute), Feedback::MINUTE),
        ((0..=59).contains(&second), Feedback::SECOND),
        ((0..=999).contains(&millisecond), Feedback::MILLISECOND),
    ];
    if let Some((_, feedback)) = checks.into_iter().find(|(fine, _)| !fine) {
        return Err(feedback);
    }
    let day = lilian(year, month as u32, day as u32) as i32;
    if day < 1 {
        return Err(Feedback::DATE_RANGE);
    }
    let of_day = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
    Ok(seconds_of(Moment { lilian: day, milliseconds: i64::from(of_day) }))
}

/// The present moment, as the caller's clock has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Milliseconds since 1 January 1970 in Greenwich.
    pub unix_milliseconds: i64,
    /// Seconds by which local time is ahead of Greenwich.
    pub offset: i32,
}

/// Local time as CEELOCT gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// The Lilian day.
    pub lilian: i32,
    /// Seconds since the start of 14 October 1582.
    pub seconds: f64,
    /// YYYYMMDDHHMISS999.
    pub gregorian: [u8; 17],
}

/// The local date and time.
fn local_moment(now: Now) -> Result<Moment, Feedback> {
    at(now.unix_milliseconds.saturating_add(i64::from(now.offset) * 1000))
}

/// The Lilian day of the local date.
pub(crate) fn local_day(now: Now) -> Result<i32, Feedback> {
    local_moment(now).map(|moment| moment.lilian)
}

/// CEELOCT: the local date and time.
pub fn local_time(now: Now) -> Result<Local, Feedback> {
    let moment = local_moment(now)?;
    let mut gregorian = [b'0'; 17];
    gregorian.copy_from_slice(&write::text(moment, b"YYYYMMDDHHMISS999")?);
    Ok(Local { lilian: moment.lilian, seconds: seconds_of(moment), gregorian })
}

/// CEEGMT: Lilian day and seconds in Greenwich.
pub fn gmt(now: Now) -> Result<(i32, f64), Feedback> {
    let moment = at(now.unix_milliseconds)?;
    Ok((moment.lilian, seconds_of(moment)))
}

/// The time by which local time is ahead of Greenwich.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// Whole hours; negative in the west.
    pub hours: i32,
    /// The minutes beyond them, 0 to 59.
    pub minutes: i32,
    /// All of it in seconds.
    pub seconds: f64,
}

/// CEEGMTO: the offset of local time.
pub fn gmt_offset(now: Now) -> Offset {
    Offset { hours: now.offset / 3600, minutes: (now.offset / 60 % 60).abs(), seconds: f64::from(now.offset) }
}

/// The picture, or the default in place of an empty one.
fn or_default<'a>(picture: &'a [u8], default: &'a [u8]) -> &'a [u8] {
    if picture.trim_ascii().is_empty() { default } else { picture }
}

fn at(unix_milliseconds: i64) -> Result<Moment, Feedback> {
    let days = unix_milliseconds.div_euclid(DAY_MILLISECONDS) + i64::from(UNIX_EPOCH);
    let lilian = i32::try_from(days).ok().filter(|day| (1..=LAST_LILIAN).contains(day));
    let milliseconds = unix_milliseconds.rem_euclid(DAY_MILLISECONDS);
    Ok(Moment { lilian: lilian.ok_or(Feedback::DATE_RANGE)?, milliseconds })
}

fn seconds_of(moment: Moment) -> f64 {
    (i64::from(moment.lilian) * DAY_MILLISECONDS + moment.milliseconds) as f64 / 1000.0
}

/// The moment of seconds; to the nearest millisecond, which is as fine as a picture shows.
fn moment_of(seconds: f64) -> Result<Moment, Feedback> {
    let milliseconds = (seconds * 1000.0).round();
    let last = (i64::from(LAST_LILIAN) + 1) * DAY_MILLISECONDS;
    if !(DAY_MILLISECONDS as f64..last as f64).contains(&milliseconds) {
        return Err(Feedback::SECONDS_RANGE);
    }
    let milliseconds = milliseconds as i64;
    let lilian = (milliseconds / DAY_MILLISECONDS) as i32;
    Ok(Moment { lilian, milliseconds: milliseconds % DAY_MILLISECONDS })
}

fn written(moment: Moment, picture: &[u8], cut: Feedback) -> Text {
    match write::text(moment, picture) {
        Err(feedback) => blank(feedback),
        Ok(text) => {
            let mut filled = [b' '; TEXT_LENGTH];
            let shown = text.len().min(TEXT_LENGTH);
            filled[..shown].copy_from_slice(&text[..shown]);
            Text { text: filled, feedback: (text.len() > TEXT_LENGTH).then_some(cut) }
        }
    }
}

fn blank(feedback: Feedback) -> Text {
    Text { text: [b' '; TEXT_LENGTH], feedback: Some(feedback) }
}
