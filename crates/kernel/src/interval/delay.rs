//! DELAY, and how a command says when.

use std::time::Duration;

use spec::{OptionId, cmd, cond, opt};

use super::clock::Stamp;
use crate::exec::{Answers, Call, Handler, Waiting};
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::DELAY, Handler::Waits(delay))];

/// Hours that an interval may have.
const INTERVAL_HOURS_MAX: u64 = 99;

/// DELAY: for an interval, or until a time. With REQID another task may end it by CANCEL.
fn delay<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let request: Option<Name8> = call.name(opt::REQID)?;
        let Some(duration) = due(call)? else { return Err(cond::EXPIRED.raise(0)) };
        // The user is not to wait for what the program has shown already.
        if let Some(terminal) = task.terminal.clone() {
            task.wait(WaitKind::Terminal, terminal.flush()).await?;
        }
        let sleep = tokio::time::sleep(duration);
        match request {
            None => task.wait(WaitKind::Interval, sleep).await,
            Some(name) => {
                task.level_mut().eib.set_request(name);
                let region = std::sync::Arc::clone(&task.region);
                let cancelled = region.interval.name_delay(name)?;
                let either = async {
                    tokio::select! {
                        () = sleep => {}
                        _ = cancelled => {}
                    }
                };
                let outcome = task.wait(WaitKind::Interval, either).await;
                region.interval.forget_delay(name);
                outcome
            }
        }
    })
}

/// How long from now, as a command says it: INTERVAL, TIME, or the FOR / AFTER and UNTIL / AT forms in parts.
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
    if !PARTS.iter().any(|option| call.has(*option)) {
        return Ok(Some(Duration::ZERO));
    }
    let total = parts(call)?;
    if call.keyword(opt::UNTIL) || call.keyword(opt::AT) {
        return Ok(until(total.as_secs()));
    }
    Ok(Some(total))
}

/// The options that say a time in parts.
const PARTS: [OptionId; 4] = [opt::HOURS, opt::MINUTES, opt::SECONDS, opt::MILLISECS];

/// HOURS, MINUTES, SECONDS, MILLISECS: one that is given alone may exceed its clock range.
fn parts(call: &Call<'_>) -> Outcome<Duration> {
    let alone = PARTS.iter().filter(|option| call.has(**option)).count() == 1;
    let part = |option, resp2, of_clock: u64, of_interval: u64| -> Outcome<u64> {
        let max = if alone { of_interval } else { of_clock };
        match call.number(option)? {
            None => Ok(0),
            Some(n) => u64::try_from(n).ok().filter(|n| *n <= max).ok_or_else(|| cond::INVREQ.raise(resp2)),
        }
    };
    let hours = part(opt::HOURS, 4, INTERVAL_HOURS_MAX, INTERVAL_HOURS_MAX)?;
    let minutes = part(opt::MINUTES, 5, 59, INTERVAL_HOURS_MAX * 60 + 59)?;
    let seconds = part(opt::SECONDS, 6, 59, INTERVAL_HOURS_MAX * 3600 + 3599)?;
    let ms = part(opt::MILLISECS, 7, 999, (INTERVAL_HOURS_MAX * 3600 + 3599) * 1000)?;
    Ok(Duration::from_secs(hours * 3600 + minutes * 60 + seconds) + Duration::from_millis(ms))
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
