//! Points in time, as a person reads them.

/// A point in time, in microseconds since 1970, as a person reads it.
pub(crate) fn moment(us: u64) -> String {
    let timestamp = i64::try_from(us).ok().and_then(|us| jiff::Timestamp::from_microsecond(us).ok());
    timestamp.map_or_else(String::new, |at| format!("{at:.0}"))
}
