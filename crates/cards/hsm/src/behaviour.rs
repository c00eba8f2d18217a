//! The behaviour of the device on purpose: its latency, and its faults.

use std::str::FromStr;
use std::time::Duration;

/// The time that a command takes, from its arrival to its response.
#[derive(Clone, Debug, PartialEq)]
pub enum Latency {
    /// Always this long; zero for as fast as it goes.
    Fixed(Duration),
    /// Points of a distribution, by rising percentile; straight lines between them, the first and last beyond them.
    Percentiles(Vec<(f64, Duration)>),
}

/// The reason why a text is not a latency.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no latency: write 300us, 2ms, or p50=300us,p99=2ms with rising percentiles")]
pub struct LatencyError(String);

/// Something wrong that the device does instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceFault {
    /// No answer; the connection stays.
    Drop,
    /// The answer comes late, by [`Faults::late_by`].
    Late,
    /// An answer with the response code of no command.
    Wrong,
    /// The connection is closed instead of an answer.
    Close,
}

/// The rate of each fault: a part of all commands, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// [`DeviceFault::Drop`]
    pub drop: f64,
    /// [`DeviceFault::Late`]
    pub late: f64,
    /// [`DeviceFault::Wrong`]
    pub wrong: f64,
    /// [`DeviceFault::Close`]
    pub close: f64,
    /// The delay of a late answer.
    pub late_by: Duration,
}

/// Latency and faults, following a seed: the same seed and commands, the same faults.
#[derive(Clone, Debug)]
pub struct Behaviour {
    latency: Latency,
    faults: Faults,
    random: fastrand::Rng,
}

impl Behaviour {
    /// A behaviour that follows a seed.
    pub fn new(latency: Latency, faults: Faults, seed: u64) -> Self {
        Self { latency, faults, random: fastrand::Rng::with_seed(seed) }
    }

    /// Decides the time and the fault, if any, of the next command.
    pub(crate) fn next(&mut self) -> (Duration, Option<DeviceFault>) {
        let Faults { drop, late, wrong, close, late_by } = self.faults;
        let mut lot = self.random.f64();
        let fault = [
            (drop, DeviceFault::Drop),
            (late, DeviceFault::Late),
            (wrong, DeviceFault::Wrong),
            (close, DeviceFault::Close),
        ]
        .into_iter()
        .find(|(rate, _)| {
            lot -= rate;
            lot < 0.0
        })
        .map(|(_, fault)| fault);
        let late_by = if fault == Some(DeviceFault::Late) { late_by } else { Duration::ZERO };
        (self.latency.sample(self.random.f64()) + late_by, fault)
    }
}

impl Latency {
    /// The latency at a part of the distribution, from 0 to 1.
    fn sample(&self, part: f64) -> Duration {
        match self {
            Self::Fixed(duration) => *duration,
            Self::Percentiles(points) => between(points, part * 100.0),
        }
    }
}

fn between(points: &[(f64, Duration)], percentile: f64) -> Duration {
    let above = points.partition_point(|(point, _)| *point < percentile);
    match (above.checked_sub(1).and_then(|below| points.get(below)), points.get(above)) {
        (Some((low, from)), Some((high, to))) => {
            from.mul_f64((high - percentile) / (high - low)) + to.mul_f64((percentile - low) / (high - low))
        }
        (Some((_, only)), None) | (None, Some((_, only))) => *only,
        (None, None) => Duration::ZERO,
    }
}

impl FromStr for Latency {
    type Err = LatencyError;

    fn from_str(text: &str) -> Result<Self, LatencyError> {
        let parsed = if text.contains('=') { percentiles(text) } else { duration(text).map(Self::Fixed) };
        parsed.ok_or_else(|| LatencyError(text.to_owned()))
    }
}

fn percentiles(text: &str) -> Option<Latency> {
    let points: Vec<(f64, Duration)> = text
        .split(',')
        .map(|point| {
            let (percentile, time) = point.split_once('=')?;
            let percentile: f64 = percentile.strip_prefix('p')?.parse().ok()?;
            (0.0..=100.0).contains(&percentile).then_some((percentile, duration(time)?))
        })
        .collect::<Option<_>>()?;
    points.windows(2).all(|pair| pair[0].0 < pair[1].0).then_some(Latency::Percentiles(points))
}

/// A number with its unit: us, ms or s.
fn duration(text: &str) -> Option<Duration> {
    let units = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (number, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_written_as_people_say_them() {
        let micros = Duration::from_micros;
        for (text, expected) in [
            ("300us", Some(Latency::Fixed(micros(300)))),
            ("1.5ms", Some(Latency::Fixed(micros(1500)))),
            ("0s", Some(Latency::Fixed(micros(0)))),
            (
                "p50=300us,p99=2ms",
                Some(Latency::Percentiles(vec![(50.0, micros(300)), (99.0, micros(2000))])),
            ),
            ("300", None),
            ("-1ms", None),
            ("p99=2ms,p50=1ms", None),
            ("p101=2ms", None),
            ("", None),
        ] {
            assert_eq!(text.parse::<Latency>().ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_distribution_has_straight_lines_between_its_points() {
        let latency: Latency = "p50=100us,p90=500us".parse().expect("a distribution");
        for (part, micros) in [(0.1, 100), (0.5, 100), (0.7, 300), (0.9, 500), (0.99, 500)] {
            let sampled = latency.sample(part).as_secs_f64() * 1e6;
            assert!((sampled - f64::from(micros)).abs() < 0.01, "{part}: {sampled}");
        }
    }

    #[test]
    fn faults_come_as_often_as_asked_for_and_follow_the_seed() {
        let faults = Faults { drop: 0.1, close: 0.2, ..Faults::default() };
        let run = |seed| {
            let mut behaviour = Behaviour::new(Latency::Fixed(Duration::ZERO), faults, seed);
            (0..10_000).map(|_| behaviour.next().1).collect::<Vec<_>>()
        };
        let of = |fault| run(1).into_iter().filter(|seen| *seen == Some(fault)).count();
        assert!((900..1100).contains(&of(DeviceFault::Drop)));
        assert!((1900..2100).contains(&of(DeviceFault::Close)));
        assert_eq!(of(DeviceFault::Wrong), 0);
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }
}
