//! Values of INQUIRE as CMCI has them.

use cmci::Datum;
use ebcdic::Characters;
use jiff::tz::TimeZone;
use kernel::clock::Stamp;
use kernel::exec::value::Value;
use spec::{OptionId, opt};

/// Options whose number is a moment.
const MOMENTS: [OptionId; 6] = [
    opt::ATTACHTIME,
    opt::CHANGETIME,
    opt::DEFINETIME,
    opt::HEALTHABSTIM,
    opt::INSTALLTIME,
    opt::LASTMODTIME,
];
/// Options whose bytes are no characters.
const BYTES: [OptionId; 2] = [opt::NETUOWID, opt::UOW];

/// A value of an option.
pub fn datum(option: OptionId, value: &Value) -> Datum {
    match value {
        Value::Text(bytes) if BYTES.contains(&option) => Datum::Text(hexadecimal(bytes)),
        Value::Text(bytes) => Datum::Text(text(bytes)),
        Value::Number(number) if MOMENTS.contains(&option) => Datum::Text(moment(*number)),
        Value::Number(number) => Datum::Number(*number),
        Value::Cvda(name) => Datum::Word((*name).to_owned()),
        Value::Flag(yes) => Datum::Word(String::from(if *yes { "YES" } else { "NO" })),
    }
}

/// Bytes of the region as characters, without blanks at their end.
pub fn text(bytes: &[u8]) -> String {
    Characters::default().text(bytes.trim_ascii_end())
}

/// Bytes as digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// An ABSTIME as a date and a time with its zone; nothing where there is none.
pub(crate) fn moment(abstime: i64) -> String {
    let stamp = Stamp::from_abstime(abstime).filter(|_| abstime > 0);
    let zoned = stamp.and_then(|stamp| stamp.local().to_zoned(TimeZone::system()).ok());
    zoned.map_or_else(String::new, |zoned| zoned.strftime("%Y-%m-%dT%H:%M:%S%.6f%:z").to_string())
}
