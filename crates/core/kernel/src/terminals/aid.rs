//! Keys by the names that HANDLE AID and TASKREQ know.

use tn3270::datastream::Aid;

/// The key of a name: ENTER, CLEAR, PA1 to PA3, PF1 to PF24, …
pub fn by_name(name: &str) -> Option<Aid> {
    let number = |prefix: &str, max: u8| {
        name.strip_prefix(prefix).and_then(|n| n.parse().ok()).filter(|n| (1..=max).contains(n))
    };
    match name {
        "ENTER" => Some(Aid::Enter),
        "CLEAR" => Some(Aid::Clear),
        "CLRPARTN" => Some(Aid::ClearPartition),
        "LIGHTPEN" | "LPA" => Some(Aid::Pen),
        "OPERID" | "OPID" => Some(Aid::OperatorId),
        "MSRE" => Some(Aid::MagneticReader),
        "TRIGGER" => Some(Aid::Trigger),
        _ => number("PF", 24).map(Aid::Pf).or_else(|| number("PA", 3).map(Aid::Pa)),
    }
}
