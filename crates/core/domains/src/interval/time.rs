//! ASKTIME and FORMATTIME.

use jiff::civil::DateTime;
use spec::{OptionId, cmd, cond, opt};

use kernel::clock::Stamp;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers = &[
    (cmd::ASKTIME, Handler::Now(asktime)),
    (cmd::ASKTIME_ABSTIME, Handler::Now(asktime)),
    (cmd::FORMATTIME, Handler::Now(formattime)),
];

/// ASKTIME: EIBTIME and EIBDATE are set, and ABSTIME if it is asked for.
fn asktime(task: &mut Task, call: &Call<'_>) -> Outcome {
    let now = Stamp::now();
    task.level_mut().eib.set_stamp(&now);
    let all = now.abstime();
    call.put_number(opt::ABSTIME, if is_fullword(call) { all & OF_FULLWORD } else { all })
}

/// The part of ABSTIME that a fullword keeps: it repeats after 25 days.
const OF_FULLWORD: i64 = 0x7FFF_FFFF;

/// Returns true if a program gives a fullword where ABSTIME wants eight bytes. On z/OS it gets eight nevertheless; if
/// the field is followed by nothing of the program's, that works, and programs in use rely on it.
fn is_fullword(call: &Call<'_>) -> bool {
    call.size(opt::ABSTIME) == size_of::<u32>()
}

/// The moment nearest to now of which a fullword has kept this.
fn nearest(kept: i64) -> i64 {
    const RETURNS: i64 = OF_FULLWORD + 1;
    let now = Stamp::now().abstime();
    let from_now = (kept - now).rem_euclid(RETURNS);
    now + if from_now < RETURNS / 2 { from_now } else { from_now - RETURNS }
}

/// The order in which a date's parts are written, and how.
#[derive(Clone, Copy)]
enum Part {
    Day,
    Month,
    Year2,
    Year4,
    DayOfYear,
}

use Part::{Day, DayOfYear, Month, Year2, Year4};

const DATES: [(OptionId, &[Part]); 8] = [
    (opt::DDMMYY, &[Day, Month, Year2]),
    (opt::DDMMYYYY, &[Day, Month, Year4]),
    (opt::MMDDYY, &[Month, Day, Year2]),
    (opt::MMDDYYYY, &[Month, Day, Year4]),
    (opt::YYMMDD, &[Year2, Month, Day]),
    (opt::YYYYMMDD, &[Year4, Month, Day]),
    (opt::YYDDMM, &[Year2, Day, Month]),
    (opt::YYYYDDMM, &[Year4, Day, Month]),
];

/// The order of a date's parts where a program leaves it to the region: DATFORM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateForm {
    /// Month, day, year.
    #[default]
    Mmddyy,
    /// Day, month, year.
    Ddmmyy,
    /// Year, month, day.
    Yymmdd,
}

impl DateForm {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The name that FORMATTIME DATEFORM gives, and the parts with a year of two or of four digits.
    fn parts(self) -> (&'static [u8; 6], &'static [Part], &'static [Part]) {
        match self {
            Self::Mmddyy => (b"MMDDYY", &[Month, Day, Year2], &[Month, Day, Year4]),
            Self::Ddmmyy => (b"DDMMYY", &[Day, Month, Year2], &[Day, Month, Year4]),
            Self::Yymmdd => (b"YYMMDD", &[Year2, Month, Day], &[Year4, Month, Day]),
        }
    }
}

const JULIAN: [(OptionId, &[Part]); 2] =
    [(opt::YYDDD, &[Year2, DayOfYear]), (opt::YYYYDDD, &[Year4, DayOfYear])];

/// FORMATTIME: each option gets its form of ABSTIME.
fn formattime(task: &mut Task, call: &Call<'_>) -> Outcome {
    let given = call.number(opt::ABSTIME)?.ok_or_else(|| cond::INVREQ.raise(1))?;
    let abstime = if is_fullword(call) && given >= 0 { nearest(given) } else { given };
    let stamp = Stamp::from_abstime(abstime).filter(|_| abstime >= 0).ok_or_else(|| cond::INVREQ.raise(1))?;
    let local = stamp.local();
    let date_separator = separator(call, opt::DATESEP, b'/')?;
    for (option, parts) in DATES.iter().chain(&JULIAN) {
        if call.has(*option) {
            call.put(*option, &date(&local, parts, &date_separator))?;
        }
    }
    let (name, short, full) = DateForm::of(&task.region).parts();
    call.put(opt::DATEFORM, name)?;
    call.put(opt::DATE, &date(&local, short, &date_separator))?;
    call.put(opt::FULLDATE, &date(&local, full, &date_separator))?;
    let time_separator = separator(call, opt::TIMESEP, b':')?;
    let time = [local.hour(), local.minute(), local.second()].map(|part| format!("{part:02}").into_bytes());
    call.put(opt::TIME, &time.join(time_separator.as_slice()))?;
    put_numbers(call, &stamp)?;
    put_string(call, &local)
}

/// The separator: none without the option, the usual one without a value.
fn separator(call: &Call<'_>, option: OptionId, usual: u8) -> Outcome<Vec<u8>> {
    if let Some(given) = call.bytes_of(option, 1)? {
        return Ok(given.to_vec());
    }
    Ok(if call.keyword(option) { vec![usual] } else { Vec::new() })
}

fn date(local: &DateTime, parts: &[Part], separator: &[u8]) -> Vec<u8> {
    let text = |part: &Part| match part {
        Day => format!("{:02}", local.day()),
        Month => format!("{:02}", local.month()),
        Year2 => format!("{:02}", local.year().rem_euclid(100)),
        Year4 => format!("{:04}", local.year()),
        DayOfYear => format!("{:03}", local.day_of_year()),
    };
    let parts: Vec<_> = parts.iter().map(|part| text(part).into_bytes()).collect();
    parts.join(separator)
}

fn put_numbers(call: &Call<'_>, stamp: &Stamp) -> Outcome {
    /// Days from 1900-01-01 are what ABSTIME counts.
    const MS_OF_DAY: i64 = 86_400_000;
    let local = stamp.local();
    call.put_number(opt::DAYCOUNT, stamp.abstime() / MS_OF_DAY)?;
    call.put_number(opt::DAYOFMONTH, local.day().into())?;
    call.put_number(opt::DAYOFWEEK, local.weekday().to_sunday_zero_offset().into())?;
    call.put_number(opt::MONTHOFYEAR, local.month().into())?;
    call.put_number(opt::YEAR, local.year().into())?;
    call.put_number(opt::MILLISECONDS, local.millisecond().into())
}

/// DATESTRING: RFC 1123 unless STRINGFORMAT says RFC 3339.
fn put_string(call: &Call<'_>, local: &DateTime) -> Outcome {
    if !call.has(opt::DATESTRING) {
        return Ok(());
    }
    let format = call.number(opt::STRINGFORMAT)?.and_then(|value| spec::cvda_name(value as i32));
    let text = match format {
        Some("RFC3339") => local.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
        None | Some("RFC1123") => local.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string(),
        Some(_) => return Err(cond::INVREQ.raise(2)),
    };
    call.put(opt::DATESTRING, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_in_their_order_with_their_separator() {
        let local = jiff::civil::date(2026, 1, 9).at(7, 5, 3, 0);
        let text = |parts: &[Part], separator: &str| {
            String::from_utf8(date(&local, parts, separator.as_bytes())).expect("text")
        };
        assert_eq!(text(&[Month, Day, Year2], "/"), "01/09/26");
        assert_eq!(text(&[Year4, Month, Day], ""), "20260109");
        assert_eq!(text(&[Year2, DayOfYear], "."), "26.009");
    }
}
