//! CONVERTTIME: dates as the internet writes them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use spec::{cmd, cond, opt};

use kernel::clock::Stamp;
use kernel::exec::{Answers, Call, Handler};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::CONVERTTIME, Handler::Now(converttime))];

/// RESP2 of INVREQ for a text that is no date.
const NO_DATE: i32 = 1;
/// The older forms: RFC 850, and that of C's `asctime`.
const OLDER_FORMS: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// CONVERTTIME: the moment that the text tells, in Greenwich, as ABSTIME.
fn converttime(_: &mut Task, call: &Call<'_>) -> Outcome {
    let text = call.bytes(opt::DATESTRING)?.unwrap_or_default();
    let text = std::str::from_utf8(text.trim_ascii()).ok();
    let moment = text.and_then(moment).ok_or_else(|| cond::INVREQ.raise(NO_DATE))?;
    call.put_number(opt::ABSTIME, Stamp::of(moment).abstime())
}

fn moment(text: &str) -> Option<DateTime> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(in_greenwich(moment));
    }
    if let Ok(moment) = rfc2822::parse(text) {
        return Some(in_greenwich(moment.timestamp()));
    }
    OLDER_FORMS.iter().find_map(|form| DateTime::strptime(form, text).ok())
}

fn in_greenwich(moment: Timestamp) -> DateTime {
    moment.to_zoned(TimeZone::UTC).datetime()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_tells_the_same_moment() {
        let expected = jiff::civil::date(2003, 4, 1).at(10, 1, 2, 0);
        for text in [
            "Tue, 01 Apr 2003 10:01:02 GMT",
            "Tuesday, 01-Apr-03 10:01:02 GMT",
            "Tue Apr  1 10:01:02 2003",
            "2003-04-01T10:01:02Z",
            "2003-04-01T12:01:02.000+02:00",
        ] {
            assert_eq!(moment(text), Some(expected), "{text}");
        }
        assert_eq!(moment("yesterday"), None);
    }
}
