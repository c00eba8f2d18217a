//! A moment as ACCEPT and CURRENT-DATE give it. Clocks are the caller's.

use crate::dates::{Epoch, date_of_integer, day_of_integer, integer_of_date};
use crate::formats::Local;

/// A moment, and how the zone stood then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    pub unix_ms: i64,
    /// Seconds by which local time is ahead.
    pub offset_s: i32,
}

/// The ANSI day of 1970-01-01.
const DAY_1970: i64 = 134_775;
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Returns the text that ACCEPT FROM these words gives, or the function CURRENT-DATE; `None` for other words, and for
/// years beyond 1601 to 9999.
pub fn moment(words: &str, at: Moment) -> Option<Vec<u8>> {
    let local = at.unix_ms.checked_add(i64::from(at.offset_s) * 1000)?;
    let day = local.div_euclid(DAY_MS).checked_add(DAY_1970)?;
    let date = date_of_integer(day, Epoch::Ansi)?;
    let within_year = day_of_integer(day, Epoch::Ansi)?;
    let hundredths = local.rem_euclid(DAY_MS) / 10;
    let (hours, minutes, seconds) = (hundredths / 360_000, hundredths / 6000 % 60, hundredths / 100 % 60);
    let time = format!("{hours:02}{minutes:02}{seconds:02}{:02}", hundredths % 100);
    let text = match words {
        "DATE" => format!("{:06}", date % 1_000_000),
        "DATE YYYYMMDD" => format!("{date:08}"),
        "DAY" => format!("{:05}", within_year % 100_000),
        "DAY YYYYDDD" => format!("{within_year:07}"),
        // Monday is 1, as 1601-01-01 was one.
        "DAY-OF-WEEK" => format!("{}", (day - 1).rem_euclid(7) + 1),
        "TIME" => time,
        // Registers of OS/VS COBOL, and the one that Enterprise COBOL has.
        "REGISTER CURRENT-DATE" => slashed(date),
        "REGISTER TIME-OF-DAY" => time[..6].to_owned(),
        "REGISTER WHEN-COMPILED" => {
            format!("{}{hours:02}.{minutes:02}.{seconds:02}", slashed(date))
        }
        "CURRENT-DATE" => {
            let (sign, ahead) = (if at.offset_s < 0 { '-' } else { '+' }, at.offset_s.unsigned_abs());
            format!("{date:08}{time}{sign}{:02}{:02}", ahead / 3600 % 100, ahead / 60 % 60)
        }
        _ => return None,
    };
    Some(text.into_bytes())
}

/// The moment that characters of CURRENT-DATE say.
pub fn read_current(text: &[u8]) -> Option<Local> {
    let digits = |from: usize, to: usize| {
        let part = text.get(from..to)?;
        part.iter()
            .try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let seconds = digits(8, 10)? * 3600 + digits(10, 12)? * 60 + digits(12, 14)?;
    let sign = if text.get(16) == Some(&b'-') { -1 } else { 1 };
    Some(Local {
        day: integer_of_date(digits(0, 8)?, Epoch::Ansi)?,
        nanos: seconds * 1_000_000_000 + digits(14, 16)? * 10_000_000,
        offset: sign * (digits(17, 19)? * 60 + digits(19, 21)?),
    })
}

/// A date as MM/DD/YY.
fn slashed(date: i64) -> String {
    format!("{:02}/{:02}/{:02}", date / 100 % 100, date % 100, date / 10_000 % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        // 2026-11-23, a Monday, 23:05:09.127 UTC.
        let check = |words: &str, offset_s: i32, expected: &str| {
            let at = Moment { unix_ms: 1_795_475_109_127, offset_s };
            let found = moment(words, at).map(|text| String::from_utf8_lossy(&text).into_owned());
            assert_eq!(found.as_deref().unwrap_or("-"), expected, "{words}");
        };
        check("CURRENT-DATE", 0, "2026112323050912+0000");
        check("CURRENT-DATE", 3600, "2026112400050912+0100");
        check("CURRENT-DATE", -12_600, "2026112319350912-0330");
        check("DATE", 0, "261123");
        check("DATE YYYYMMDD", 7200, "20261124");
        check("DAY", 0, "26327");
        check("DAY YYYYDDD", 0, "2026327");
        check("DAY-OF-WEEK", 0, "1");
        check("DAY-OF-WEEK", 3600, "2");
        check("TIME", 0, "23050912");
        check("REGISTER CURRENT-DATE", 3600, "11/24/26");
        check("REGISTER TIME-OF-DAY", 0, "230509");
        check("REGISTER WHEN-COMPILED", 0, "11/23/2623.05.09");
        check("SYSIN", 0, "-");
    }
}
