//! The Authenticator beside a bare epoll server that does the same work on sockets, its exchange with the security module
//! included. Both are processes of their own, and so are the HSM and the simulated terminals: the figure is what the
//! region's process alone has used.

pub(crate) mod bare;
pub(crate) mod console;
pub(crate) mod counted;
pub(crate) mod process;
mod published;
mod series;
pub(crate) mod show;
mod shown;
pub(crate) mod stage;

use tokio::runtime;
use tokio::task::LocalSet;

use self::stage::{Outcome, Setting, Stage, Whom};
use crate::Options;
use crate::clock::{median, progress};
use crate::promise::Measured;

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Seconds for which each of both has the load in a round.
const SECONDS: f64 = 3.0;
/// Messages a second: the highest rate that two cores hold with terminals and HSM on them, and one in the middle.
const HIGHEST: f64 = 4_000.0;
const MIDDLE: f64 = 2_000.0;
/// The number of attempts at a rate.
const ATTEMPTS: usize = 5;
/// Simulated terminals.
const TERMINALS: usize = 200;
/// Customer accounts, as in the published benchmark.
pub(crate) const ACCOUNTS: usize = 500_000;

/// An authentication at the highest rate.
pub(crate) fn authentication(options: &Options, logged: bool) -> Result<Measured, String> {
    let [highest] = measure(options, &Kind { logged, ..Kind::PLAIN }, [HIGHEST])?;
    let measured = Measured::new(highest.region(), highest.bare());
    Ok(highest.notes().into_iter().fold(measured, Measured::note))
}

/// The ratio at the highest rate beside the ratio at the middle one.
pub(crate) fn linearity(options: &Options, logged: bool) -> Result<Measured, String> {
    let [middle, highest] = measure(options, &Kind { logged, ..Kind::PLAIN }, [MIDDLE, HIGHEST])?;
    Ok(beside(&highest, &middle))
}

/// The ratio with SEC=YES beside the ratio without: each beside its own floor, for they are measured one after the other.
pub(crate) fn security(options: &Options) -> Result<Measured, String> {
    let [secured] = measure(options, &Kind { secured: true, ..Kind::PLAIN }, [HIGHEST])?;
    let [open] = measure(options, &Kind::PLAIN, [HIGHEST])?;
    Ok(beside(&secured, &open))
}

/// The ratio of region to bare server of some turns beside that of others.
fn beside(turns: &Turns, others: &Turns) -> Measured {
    let ratio = |turns: &Turns| turns.region() / turns.bare();
    let measured = Measured::new(ratio(turns), ratio(others));
    [others, turns].into_iter().flat_map(Turns::notes).fold(measured, Measured::note)
}

/// Runs a piece of work on an event loop of this thread.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no event loop: {error}"))?;
    let result = LocalSet::new().block_on(&runtime, work);
    progress("");
    result
}

/// The kind of Authenticator that is measured.
struct Kind {
    logged: bool,
    secured: bool,
}

impl Kind {
    /// As the sample is.
    const PLAIN: Self = Self { logged: false, secured: false };

    fn setting(&self, options: &Options) -> Setting {
        let Self { logged, secured } = *self;
        Setting {
            accounts: options.size(ACCOUNTS, 1_000),
            terminals: options.size(TERMINALS, 10),
            logged,
            secured,
            monitored: false,
            counted: false,
            console: false,
        }
    }
}

/// Starts everything, measures at each rate, ends everything.
fn measure<const N: usize>(options: &Options, kind: &Kind, rates: [f64; N]) -> Result<[Turns; N], String> {
    let setting = kind.setting(options);
    run(async {
        let tell = |what: &str| progress(&format!("the Authenticator: {what}"));
        let mut stage = Stage::start(&setting, tell).await?;
        let turns = in_turns(&mut stage, rates.map(|rate| Effort::new(options, rate))).await?;
        stage.end().await?;
        Ok(turns)
    })
}

/// The outcomes of both at a rate, round by round.
struct Turns {
    rate: f64,
    region: Vec<Outcome>,
    bare: Vec<Outcome>,
}

/// The effort for measuring a rate.
struct Effort {
    rounds: usize,
    rate: f64,
    seconds: f64,
    /// The number of attempts at a rate that other work on the machine keeps down; `None`: it need not be held.
    attempts: Option<usize>,
}

impl Effort {
    fn new(options: &Options, rate: f64) -> Self {
        if options.quick {
            Self { rounds: 1, rate: rate / 10.0, seconds: 0.5, attempts: None }
        } else {
            Self { rounds: ROUNDS, rate, seconds: SECONDS, attempts: Some(ATTEMPTS) }
        }
    }
}

/// Region and bare server in turns, and one rate after the other, so that all see the same machine. The first round warms
/// up and does not count.
async fn in_turns<const N: usize>(stage: &mut Stage, efforts: [Effort; N]) -> Result<[Turns; N], String> {
    let mut all =
        efforts.each_ref().map(|effort| Turns { rate: effort.rate, region: Vec::new(), bare: Vec::new() });
    let rounds = efforts.first().map_or(0, |effort| effort.rounds);
    for round in 0..=rounds {
        for (effort, turns) in efforts.iter().zip(&mut all) {
            progress(&format!("the Authenticator: {} a second, round {round} of {rounds}", effort.rate));
            let (region, bare) = turn(stage, effort).await?;
            if round > 0 {
                turns.region.push(region);
                turns.bare.push(bare);
            }
        }
    }
    Ok(all)
}

/// A load on the region and the same on the bare server.
async fn turn(stage: &mut Stage, effort: &Effort) -> Result<(Outcome, Outcome), String> {
    let Effort { rate, seconds, .. } = *effort;
    for _ in 0..effort.attempts.unwrap_or(1) {
        let region = stage.load(Whom::Region, rate, seconds, |_| ()).await?;
        let bare = stage.load(Whom::Bare, rate, seconds, |_| ()).await?;
        if effort.attempts.is_none() || region.held() && bare.held() {
            return Ok((region, bare));
        }
    }
    Err(format!("this machine does not hold {rate} messages a second"))
}

impl Turns {
    /// Microseconds of the region's processor time for an authentication.
    fn region(&self) -> f64 {
        of(&self.region, Outcome::server_us)
    }

    /// The same of the bare server.
    fn bare(&self) -> f64 {
        of(&self.bare, Outcome::server_us)
    }

    /// Returns further figures of both.
    fn notes(&self) -> [String; 2] {
        [(Whom::Region, &self.region), (Whom::Bare, &self.bare)].map(|(whom, outcomes)| {
            let us = |get: fn(&Outcome) -> f64| of(outcomes, get);
            format!(
                "{} at {} a second: {:.1} us; response {:.2} ms, p99 {:.2} ms; apart from it HSM {:.1} us, \
                 terminals {:.1} us",
                whom.name(),
                self.rate,
                us(Outcome::server_us),
                us(|outcome| outcome.report.response.mean() / 1e3),
                us(|outcome| outcome.report.response.percentile(99.0) as f64 / 1e3),
                us(|outcome| outcome.hsm.as_secs_f64() * 1e6),
                us(|outcome| outcome.client.as_secs_f64() * 1e6),
            )
        })
    }
}

/// The median of a figure.
fn of(outcomes: &[Outcome], figure: impl Fn(&Outcome) -> f64) -> f64 {
    median(outcomes.iter().map(figure).collect())
}
