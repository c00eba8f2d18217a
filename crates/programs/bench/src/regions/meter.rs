//! One rate: the load warms up, becomes steady, and is measured for a while.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use load::report::Report;
use load::steady::{Phase, Steady};

use crate::authenticator::stage::HELD;

/// Seconds that warm up and do not count, and those in which a load has to settle.
const WARM_UP: u32 = 3;
const PATIENCE: u32 = 20;
/// Seconds beside the measured ones for which a driver has to have work.
pub(crate) const AROUND: f64 = PATIENCE as f64 + 5.0;

/// The result of one rate.
pub(crate) struct Step {
    /// The report of the clients for the time of the measurement.
    pub report: Report,
    /// Processor time of each process for a message.
    pub processes: Vec<Duration>,
    /// The time of the measurement, in microseconds since 1970.
    pub span: (u64, u64),
    /// True if the load had settled.
    pub steady: bool,
}

impl Step {
    /// Returns true if the machine kept the wanted rate.
    pub fn held(&self) -> bool {
        self.report.wanted_rate.is_none_or(|wanted| self.report.rate() >= wanted * HELD)
    }

    /// The clients' processor time for a message.
    pub fn client(&self) -> Duration {
        self.each(self.report.processor)
    }

    fn each(&self, time: Duration) -> Duration {
        each(time, self.report.finished)
    }
}

fn each(time: Duration, finished: u64) -> Duration {
    time / u32::try_from(finished).unwrap_or(u32::MAX).max(1)
}

/// The measurement of a rate, which sees the driver's report once a second.
pub(crate) struct Meter<'a> {
    times: &'a dyn Fn() -> Result<Vec<Duration>, String>,
    seconds: Duration,
    steady: Steady,
    last: Report,
    begun: Option<Begun>,
    outcome: Option<Result<Step, String>>,
}

struct Begun {
    report: Report,
    times: Vec<Duration>,
    at: u64,
    steady: bool,
}

impl<'a> Meter<'a> {
    /// A measurement of so many seconds of processes whose processor times are these.
    pub fn new(times: &'a dyn Fn() -> Result<Vec<Duration>, String>, seconds: f64, quick: bool) -> Self {
        let steady = if quick { Steady::new(0, 1) } else { Steady::new(WARM_UP, PATIENCE) };
        let seconds = Duration::from_secs_f64(seconds);
        Self { times, seconds, steady, last: Report::default(), begun: None, outcome: None }
    }

    /// Looks at the report; returns true once there is nothing more to measure.
    pub fn see(&mut self, report: &Report) -> bool {
        if self.outcome.is_none()
            && let Err(what) = self.look(report)
        {
            self.outcome = Some(Err(what));
        }
        self.outcome.is_some()
    }

    fn look(&mut self, report: &Report) -> Result<(), String> {
        if let Some(begun) = &self.begun {
            let is_over = report.elapsed >= begun.report.elapsed + self.seconds;
            if is_over && report.finished > begun.report.finished {
                self.outcome = Some(Ok(self.measured(begun, report)?));
            }
            return Ok(());
        }
        let second = report.since(&self.last);
        if second.elapsed.is_zero() {
            return Ok(());
        }
        self.last = report.clone();
        // The first task of all may load a table or start a server: the load begins behind it.
        if report.finished == 0 {
            return Ok(());
        }
        let phase = self.steady.see(second.rate(), second.response.mean());
        if phase != Phase::Warms {
            let steady = phase == Phase::Steady;
            self.begun = Some(Begun { report: report.clone(), times: (self.times)()?, at: now(), steady });
        }
        Ok(())
    }

    fn measured(&self, begun: &Begun, report: &Report) -> Result<Step, String> {
        let part = report.since(&begun.report);
        if report.unexpected() > 0 || part.finished == 0 {
            return Err(format!("not every message came to what it should:\n{report}"));
        }
        let used = (self.times)()?.into_iter().zip(&begun.times);
        let processes = used.map(|(now, then)| each(now.saturating_sub(*then), part.finished)).collect();
        Ok(Step { report: part, processes, span: (begun.at, now()), steady: begun.steady })
    }

    /// The outcome; a driver that ended before it is an error.
    pub fn outcome(self) -> Result<Step, String> {
        self.outcome.unwrap_or_else(|| Err(String::from("the load ended before it was measured")))
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
