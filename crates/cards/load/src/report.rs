//! The results of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::kind::{Kind, Outcome};

/// The longest time that is distinguished: a minute, in microseconds.
const MICROSECONDS_MAX: u64 = 60_000_000;
/// Significant figures.
const FIGURES: u8 = 3;
/// Connections that were cut off which a report tells one by one.
const CUTS_MAX: usize = 10;

/// Times in microseconds.
#[derive(Clone, Debug)]
pub struct Times(Option<Histogram<u64>>);

/// Counts and times of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Messages with an outcome.
    pub finished: u64,
    /// Messages that were planned.
    pub planned: u64,
    /// Messages by kind and outcome.
    pub outcomes: BTreeMap<(Kind, Outcome), u64>,
    /// The first connections that were cut off where that should not be: whose, when, how.
    pub cuts: Vec<String>,
    /// From the beginning of connecting (on a kept connection, of sending) to the whole response.
    pub response: Times,
    /// The Authenticator's own time, as it reports it.
    pub internal: Times,
    /// The longest time by which a message was sent later than planned.
    pub late_max: Duration,
    /// Messages a second that were planned.
    pub wanted_rate: Option<f64>,
    /// The time that the run took.
    pub elapsed: Duration,
    /// Processor time that the client used.
    pub processor: Duration,
}

impl Default for Times {
    fn default() -> Self {
        // The bounds are good ones.
        Self(Histogram::new_with_max(MICROSECONDS_MAX, FIGURES).ok())
    }
}

impl Times {
    /// Adds a time.
    pub fn add(&mut self, microseconds: u64) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(microseconds.max(1));
        }
    }

    /// Microseconds within which this percentage of all times is.
    pub fn percentile(&self, percent: f64) -> u64 {
        self.0.as_ref().map_or(0, |histogram| histogram.value_at_percentile(percent))
    }

    /// The times that have been added since an earlier state of these.
    fn since(&self, earlier: &Self) -> Self {
        let mut since = self.clone();
        if let (Some(all), Some(earlier)) = (&mut since.0, &earlier.0) {
            // What was there earlier is there still.
            let _ = all.subtract(earlier);
        }
        since
    }

    /// Microseconds on average.
    pub fn mean(&self) -> f64 {
        self.0.as_ref().map_or(0.0, Histogram::mean)
    }

    fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(Histogram::is_empty)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("–");
        }
        let milliseconds = |microseconds: u64| microseconds as f64 / 1e3;
        write!(f, "{:.3} ms on average", self.mean() / 1e3)?;
        for percent in [50.0, 90.0, 99.0, 99.9] {
            write!(f, ", p{percent} {:.3}", milliseconds(self.percentile(percent)))?;
        }
        write!(f, ", longest {:.3}", milliseconds(self.percentile(100.0)))
    }
}

impl Report {
    pub(crate) fn count(&mut self, kind: Kind, outcome: Outcome) {
        self.finished += 1;
        *self.outcomes.entry((kind, outcome)).or_default() += 1;
    }

    /// A connection was cut off.
    pub(crate) fn cut(&mut self, how: impl FnOnce() -> String) {
        if self.cuts.len() < CUTS_MAX {
            self.cuts.push(how());
        }
    }

    /// The part of this run that came after an earlier state of it.
    pub fn since(&self, earlier: &Self) -> Self {
        let outcome = |(what, count): (&(Kind, Outcome), &u64)| {
            let more = count - earlier.outcomes.get(what).copied().unwrap_or(0).min(*count);
            (more > 0).then_some((*what, more))
        };
        Self {
            finished: self.finished.saturating_sub(earlier.finished),
            planned: self.planned.saturating_sub(earlier.finished),
            outcomes: self.outcomes.iter().filter_map(outcome).collect(),
            cuts: self.cuts.iter().skip(earlier.cuts.len()).cloned().collect(),
            response: self.response.since(&earlier.response),
            internal: self.internal.since(&earlier.internal),
            late_max: self.late_max,
            wanted_rate: self.wanted_rate,
            elapsed: self.elapsed.saturating_sub(earlier.elapsed),
            processor: self.processor.saturating_sub(earlier.processor),
        }
    }

    /// The same in a line: rate, response times, what came to something else than it should, by its outcome.
    pub fn line(&self) -> String {
        let mut wrong = BTreeMap::new();
        for ((kind, outcome), count) in &self.outcomes {
            if !kind.allows(*outcome) {
                *wrong.entry(outcome.to_string()).or_insert(0) += count;
            }
        }
        let wrong: Vec<_> = wrong.iter().map(|(outcome, count)| format!("{count} × {outcome}")).collect();
        let ms = |percent| self.response.percentile(percent) as f64 / 1e3;
        format!(
            "{:6.0} a second   response {:8.2} ms, p99 {:8.2} ms   {}",
            self.rate(),
            self.response.mean() / 1e3,
            ms(99.0),
            if wrong.is_empty() { String::from("no errors") } else { wrong.join(", ") }
        )
    }

    /// Messages a second with an outcome.
    pub fn rate(&self) -> f64 {
        self.finished as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Messages with another outcome than expected.
    pub fn unexpected(&self) -> u64 {
        let wrong = self.outcomes.iter().filter(|((kind, outcome), _)| !kind.allows(*outcome));
        wrong.map(|(_, count)| count).sum()
    }

    /// Messages of any kind with this outcome.
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes.iter().filter(|((_, seen), _)| *seen == outcome).map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        let wanted = self.wanted_rate.map_or("as fast as it goes".to_owned(), |rate| format!("{rate:.1}"));
        writeln!(
            f,
            "messages     {} of {}, {} not as they should be",
            self.finished,
            self.planned,
            self.unexpected()
        )?;
        writeln!(f, "throughput   {:.1} a second for {seconds:.1} s (wanted: {wanted})", self.rate())?;
        writeln!(f, "latest       {:.3} ms behind its time", self.late_max.as_secs_f64() * 1e3)?;
        writeln!(f, "response     {}  (client)", self.response)?;
        writeln!(f, "internal     {}  (Authenticator)", self.internal)?;
        for ((kind, outcome), count) in &self.outcomes {
            let mark = if kind.allows(*outcome) { ' ' } else { '!' };
            writeln!(f, "{:12} {count:9} × {outcome} {mark}", kind.word())?;
        }
        for cut in &self.cuts {
            writeln!(f, "cut off      {cut}")?;
        }
        let each = self.processor.as_secs_f64() / self.finished.max(1) as f64;
        write!(
            f,
            "client       {:.3} s of processor time, {:.1} µs a message: not the region's",
            self.processor.as_secs_f64(),
            each * 1e6
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use card::answer::Answer;

    #[test]
    fn a_part_of_a_run_has_what_came_after_its_beginning() {
        let mut report = Report { planned: 10, elapsed: Duration::from_secs(1), ..Report::default() };
        report.count(Kind::Valid, Outcome::Answered(Answer::Authentic));
        report.count(Kind::Valid, Outcome::HungUp);
        (0..20).for_each(|of| report.cut(|| of.to_string()));
        assert_eq!(report.cuts.len(), CUTS_MAX);
        report.response.add(90_000);
        let earlier = report.clone();
        assert_eq!(earlier.line(), "     2 a second   response    90.02 ms, p99    90.05 ms   1 × hung up");
        report.elapsed = Duration::from_secs(3);
        for _ in 0..4 {
            report.count(Kind::Valid, Outcome::Answered(Answer::Authentic));
            report.response.add(2_000);
        }
        let part = report.since(&earlier);
        assert!(part.cuts.is_empty(), "{:?}", part.cuts);
        assert_eq!((part.finished, part.unexpected(), part.elapsed), (4, 0, Duration::from_secs(2)));
        assert_eq!(part.line(), "     2 a second   response     2.00 ms, p99     2.00 ms   no errors");
    }
}
