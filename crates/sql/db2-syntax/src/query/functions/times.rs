//! Functions of dates and times.

use db2_values::Type;

use super::Call;
use crate::refusal::Refusal;
use crate::tree::{Expression, Function};

/// The function of a name.
pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "YEAR" => Function::Year,
        "MONTH" => Function::Month,
        "DAY" | "DAYOFMONTH" => Function::Day,
        "HOUR" => Function::Hour,
        "MINUTE" => Function::Minute,
        "SECOND" => Function::Second,
        "MICROSECOND" => Function::Microsecond,
        "DATE" => Function::Date,
        "TIME" => Function::Time,
        "TIMESTAMP" => Function::Timestamp,
        "DAYS" => Function::Days,
        "DAYOFWEEK" => Function::DayOfWeek,
        "DAYOFWEEK_ISO" => Function::DayOfWeekIso,
        "DAYOFYEAR" => Function::DayOfYear,
        "WEEK" => Function::Week,
        "WEEK_ISO" => Function::WeekIso,
        "QUARTER" => Function::Quarter,
        "JULIAN_DAY" => Function::JulianDay,
        "LAST_DAY" => Function::LastDay,
        "NEXT_DAY" => Function::NextDay,
        "ADD_MONTHS" => Function::AddMonths,
        "MONTHS_BETWEEN" => Function::MonthsBetween,
        "MIDNIGHT_SECONDS" => Function::MidnightSeconds,
        "TIMESTAMP_FORMAT" | "TO_DATE" | "TO_TIMESTAMP" => Function::TimestampFormat,
        "VARCHAR_FORMAT" | "TO_CHAR" => Function::VarcharFormat,
        "TIMESTAMPDIFF" => Function::TimestampDifference,
        "TRUNC_TIMESTAMP" => Function::TruncateTimestamp,
        _ => return None,
    })
}

/// The longest text of VARCHAR_FORMAT.
const FORMATTED: u32 = 255;
const STAMP: Type = Type::Timestamp(6);

impl Call<'_> {
    pub(super) fn of_times(self, function: Function) -> Result<Expression, Refusal> {
        use Function as F;
        let kinds = match function {
            F::Timestamp | F::TruncateTimestamp => self.kinds(1..=2)?,
            F::NextDay
            | F::AddMonths
            | F::MonthsBetween
            | F::TimestampFormat
            | F::VarcharFormat
            | F::TimestampDifference => self.kinds(2..=2)?,
            _ => self.kinds(1..=1)?,
        };
        let first = kinds[0];
        let is_moment = first.is_datetime() || first.is_text();
        let has_text = kinds.get(1).is_none_or(|kind| kind.is_text());
        let stamp = if let Type::Timestamp(_) = first { first } else { STAMP };
        let (suits, kind) = match function {
            F::Year | F::Month | F::Day => {
                (is_moment && first != Type::Time || is_duration(first), Type::Integer)
            }
            F::Hour | F::Minute | F::Second | F::Microsecond => {
                (is_moment && first != Type::Date || is_duration(first), Type::Integer)
            }
            F::Date => ((is_moment && first != Type::Time) || first.is_number(), Type::Date),
            F::Time => (is_moment && first != Type::Date, Type::Time),
            F::Timestamp => {
                (is_moment && kinds.iter().all(|kind| kind.is_datetime() || kind.is_text()), stamp)
            }
            F::LastDay => (is_moment && first != Type::Time, Type::Date),
            F::NextDay => (is_moment && has_text, Type::Date),
            F::AddMonths => {
                let kind = if first == Type::Date { first } else { stamp };
                (is_moment && first != Type::Time && kinds[1].is_whole(), kind)
            }
            F::MonthsBetween => {
                let is_moment = |kind: &Type| kind.is_datetime() || kind.is_text();
                (kinds.iter().all(is_moment), Type::Decimal { precision: 31, scale: 15 })
            }
            F::TimestampFormat => (first.is_text() && has_text, STAMP),
            F::VarcharFormat => (is_moment && has_text, Type::VarChar(FORMATTED)),
            F::TimestampDifference => {
                (first.is_whole() && (has_text || is_duration(kinds[1])), Type::Integer)
            }
            F::TruncateTimestamp => (is_moment && has_text, stamp),
            F::MidnightSeconds => (is_moment && first != Type::Date, Type::Integer),
            _ => (is_moment && first != Type::Time, Type::Integer),
        };
        self.demand(suits)?;
        Ok(self.made(function, kind))
    }
}

/// Returns true if a number of this type may be a duration.
fn is_duration(kind: Type) -> bool {
    matches!(kind, Type::Decimal { .. })
}
