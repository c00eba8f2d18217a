//! DELAY, and how a command says when.

use std::time::Duration;

use spec::{OptionId, cmd, cond, opt};

use crate::interval::IntervalControl;
use kernel::clock::Stamp;
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::DELAY, Handler::Waits(delay))];

/// Hours that an interval may have.
const INTERVAL_HOURS_MAX: u64 = 99;

/// DELAY: for an interval, or until a time. With REQID another task may end it by CANCEL.
fn delay<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let request: Option<Name8> = call.name(opt::REQID)?;
        let Some(duration) = due(call)? else { return Err(cond::EXPIRED.raise(0)) };
        match request {
            None => task.rest(duration).await,
            // With memory of its own, which others need not keep while they wait.
            Some(name) => Box::pin(named(task, name, duration)).await,
        }
    })
}

/// A DELAY that CANCEL may end.
async fn named(task: &mut Task, name: Name8, duration: Duration) -> Outcome {
    task.show().await?;
    let sleep = tokio::time::sleep(duration);
    task.level_mut().eib.set_request(name);
    let region = std::sync::Arc::clone(&task.region);
    let cancelled = IntervalControl::of(&region).name_delay(name)?;
    let either = async {
        tokio::select! {
            () = sleep => {}
            _ = cancelled => {}
        }
    };
    let outcome = task.wait(WaitKind::INTERVAL, either).await;
    IntervalControl::of(&region).forget_delay(name);
    outcome
}

/// Returns the time from now that a command asks for: INTERVAL, TIME, or the FOR / AFTER and UNTIL / AT forms in parts.
/// `None`: that time is over.
///
/// A clock time that passed within the last six hours is over; any other is today's, or tomorrow's.
///
/// # Errors
/// INVREQ with 4, 5 or 6 for hours, minutes or seconds that are none.
pub(super) fn due(call: &Call<'_>) -> Outcome<Option<Duration>> {
    if let Some(time) = call.hhmmss(opt::TIME)? {
        return Ok(until(seconds(time)));
    }
    if let Some(interval) = call.hhmmss(opt::INTERVAL)? {
        return Ok(Some(Duration::from_secs(seconds(interval))));
    }
    let Some(total) = parts(call)? else { return Ok(Some(Duration::ZERO)) };
    if call.keyword(opt::UNTIL) || call.keyword(opt::AT) {
        return Ok(until(total.as_secs()));
    }
    Ok(Some(total))
}

/// An option that says a part of a time.
struct Part {
    option: OptionId,
    /// RESP2 of INVREQ for more than it may say.
    resp2: i32,
    /// The most that it may say beside others.
    of_clock: u64,
    /// The most that it may say alone.
    of_interval: u64,
    /// The milliseconds of one of it.
    ms: u64,
}

/// Seconds that an interval may have.
const INTERVAL_SECONDS_MAX: u64 = INTERVAL_HOURS_MAX * 3600 + 3599;

/// The options that say a time in parts.
#[rustfmt::skip]
const PARTS: [Part; 4] = [
    Part { option: opt::HOURS, resp2: 4, of_clock: INTERVAL_HOURS_MAX, of_interval: INTERVAL_HOURS_MAX, ms: 3_600_000 },
    Part { option: opt::MINUTES, resp2: 5, of_clock: 59, of_interval: INTERVAL_SECONDS_MAX / 60, ms: 60_000 },
    Part { option: opt::SECONDS, resp2: 6, of_clock: 59, of_interval: INTERVAL_SECONDS_MAX, ms: 1_000 },
    Part { option: opt::MILLISECS, resp2: 7, of_clock: 999, of_interval: INTERVAL_SECONDS_MAX * 1000, ms: 1 },
];

/// HOURS, MINUTES, SECONDS, MILLISECS: one that is given alone may exceed its clock range. `None`: none is given.
fn parts(call: &Call<'_>) -> Outcome<Option<Duration>> {
    let given = PARTS.iter().filter(|part| call.has(part.option)).count();
    if given == 0 {
        return Ok(None);
    }
    let mut total_ms = 0;
    for part in &PARTS {
        let Some(number) = call.number(part.option)? else { continue };
        let max = if given == 1 { part.of_interval } else { part.of_clock };
        let number = u64::try_from(number).ok().filter(|number| *number <= max);
        total_ms += number.ok_or_else(|| cond::INVREQ.raise(part.resp2))? * part.ms;
    }
    Ok(Some(Duration::from_millis(total_ms)))
}

fn seconds((hours, minutes, seconds): (u32, u32, u32)) -> u64 {
    u64::from(hours) * 3600 + u64::from(minutes) * 60 + u64::from(seconds)
}

/// From now to a clock time, in seconds since midnight.
fn until(seconds: u64) -> Option<Duration> {
    until_from(Stamp::now().ms_of_day(), seconds)
}

fn until_from(now_ms: u64, seconds: u64) -> Option<Duration> {
    const DAY_MS: u64 = 86_400_000;
    const OVER_MS: u64 = 6 * 3_600_000;
    let at = seconds * 1000;
    if at >= now_ms {
        return Some(Duration::from_millis(at - now_ms));
    }
    let ago = now_ms - at;
    if ago <= OVER_MS { None } else { Some(Duration::from_millis(DAY_MS - ago)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_time_is_over_for_six_hours_and_then_tomorrows() {
        let hour = |h: u64| h * 3_600_000;
        assert_eq!(until_from(hour(10), 11 * 3600), Some(Duration::from_secs(3600)));
        assert_eq!(until_from(hour(10), 9 * 3600), None);
        assert_eq!(until_from(hour(10), 3600), Some(Duration::from_secs(15 * 3600)));
        assert_eq!(until_from(hour(23), 24 * 3600 + 3600), Some(Duration::from_secs(2 * 3600)));
    }
}
