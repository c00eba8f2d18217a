//! A region under load at rising rates, and the tables of it.

use std::time::{SystemTime, UNIX_EPOCH};

use instruments::{Cell, Performance, Point, Selection, Series, Table};
use load::report::Report;

use super::shown::Shown;
use super::stage::{Outcome, Setting, Stage, Whom};
use crate::clock::{progress, say};

/// The transaction that serves a connection.
const SERVER: &str = "AUTS";
/// The waits for the HSM, and for the system log.
const HSM_WAIT: &str = "WTCEWAIT";
const LOG_WAIT: &str = "JCIOWTT";
/// Seconds at the first rate that warm up and do not count.
const WARM_UP: f64 = 3.0;

/// The outcomes of all rates.
pub(super) struct RisingRates {
    logged: bool,
    steps: Vec<Step>,
}

/// The costs of an authentication at the highest rate that was held, in microseconds.
pub(super) struct Costs {
    /// Of the region's processor time.
    pub processor: f64,
    /// From a command to the HSM to its answer.
    pub hsm: f64,
    /// From the commit to its answer.
    pub force: f64,
}

/// The outcomes of one rate.
struct Step {
    region: Outcome,
    /// The bare server's, if it was asked for.
    bare: Option<Outcome>,
    /// The region's own records.
    records: Performance,
}

/// When a load began and ended, in microseconds since 1970.
type Span = (u64, u64);

impl RisingRates {
    /// Starts everything, puts the load on it, ends it.
    pub async fn measure(shown: &Shown, logged: bool) -> Result<Self, String> {
        let setting = Setting {
            accounts: shown.accounts,
            terminals: super::TERMINALS,
            logged,
            secured: false,
            monitored: true,
            counted: false,
            console: false,
        };
        let mut stage = Stage::start(&setting, say).await?;
        let mut loads = Vec::new();
        stage.load(Whom::Region, shown.rates[0], WARM_UP, |_| ()).await?;
        for &rate in &shown.rates {
            let from = now();
            let region = load(&mut stage, Whom::Region, rate, shown.seconds).await?;
            let span = (from, now());
            let bare = if shown.floor {
                Some(load(&mut stage, Whom::Bare, rate, shown.seconds).await?)
            } else {
                None
            };
            loads.push((span, region, bare));
        }
        let files = stage.end().await?.records;
        let step = |(span, region, bare)| Ok(Step { region, bare, records: records(&files, span)? });
        let steps = loads.into_iter().map(step).collect::<Result<_, String>>()?;
        Ok(Self { logged, steps })
    }

    fn log(&self) -> &'static str {
        if self.logged { "with the Validation Log" } else { "without the Validation Log" }
    }

    /// Rates, response times, processor times, each rate's largest wait.
    pub fn table(&self) -> Table {
        let columns = [
            ("Rate", "/s"),
            ("Response", "ms"),
            ("Client", "ms"),
            ("p99", "ms"),
            ("CPU", "% of one"),
            ("CPU", "µs"),
            ("Floor", "µs"),
            ("Ratio", ""),
            ("HSM", "µs"),
            ("Terminals", "µs"),
            ("Largest wait", ""),
        ];
        let mut table = Table::new(format!("Measured: one region, {}", self.log()), &columns);
        table.rows = self.steps.iter().map(Step::row).collect();
        let behind = self.steps.iter().filter(|step| !step.region.held());
        table.notes = behind
            .filter_map(|step| step.region.report.wanted_rate)
            .map(|rate| format!("This machine does not hold {rate:.0} a second."))
            .collect();
        table
    }

    /// Returns the parts of the response time at the highest rate.
    pub fn waits(&self) -> Option<Table> {
        self.steps.last().map(|step| step.records.waits())
    }

    /// Returns the costs that the sizing tool needs.
    pub fn costs(&self) -> Option<Costs> {
        let step = self.steps.iter().rfind(|step| step.region.held())?;
        let wait = |field| step.records.wait(field).map_or(0.0, |wait| wait.us);
        Some(Costs { processor: step.region.server_us(), hsm: wait(HSM_WAIT), force: wait(LOG_WAIT) })
    }

    /// Processor time against rate.
    pub fn series(&self) -> Series {
        let point = |step: &Step| Point { x: step.region.rate, y: step.region.percent() };
        Series { name: self.log().to_owned(), points: self.steps.iter().map(point).collect() }
    }
}

impl Step {
    fn row(&self) -> Vec<Cell> {
        let Self { region, bare, records } = self;
        let ms = |us: f64| Cell::Number(us / 1e3, 2);
        let us = |of: Option<f64>| of.map_or(Cell::Empty, |us| Cell::Number(us, 1));
        let floor = bare.as_ref().map(Outcome::server_us);
        let wait = records.largest_wait();
        vec![
            Cell::Number(region.rate, 0),
            ms(records.response_us()),
            ms(region.report.response.mean()),
            ms(region.report.response.percentile(99.0) as f64),
            Cell::Number(region.percent(), 1),
            us(Some(region.server_us())),
            us(floor),
            floor.map_or(Cell::Empty, |floor| Cell::Number(region.server_us() / floor, 2)),
            us(Some(region.hsm.as_secs_f64() * 1e6)),
            us(Some(region.client.as_secs_f64() * 1e6)),
            wait.map_or(Cell::Empty, |wait| Cell::Text(format!("{} {:.0} %", wait.field, wait.share))),
        ]
    }
}

/// Puts a load on one of both, and tells how it goes.
async fn load(stage: &mut Stage, whom: Whom, rate: f64, seconds: f64) -> Result<Outcome, String> {
    let name = whom.name();
    let told = |report: &Report| {
        progress(&format!(
            "{name}: {} of {}, {:.0} a second, response {:.2} ms on average",
            report.finished,
            report.planned,
            report.rate(),
            report.response.mean() / 1e3
        ));
    };
    let outcome = stage.load(whom, rate, seconds, told).await?;
    say(&format!(
        "{name}: {} authenticated, {:.0} a second, response {:.2} ms, processor time {:.1} µs each",
        outcome.report.finished,
        outcome.rate,
        outcome.report.response.mean() / 1e3,
        outcome.server_us()
    ));
    Ok(outcome)
}

fn records(files: &[Vec<u8>], span: Span) -> Result<Performance, String> {
    let selection = Selection { transactions: vec![SERVER.to_owned()], between: Some(span) };
    let mut records = Performance::new(selection);
    for bytes in files {
        records.add(bytes).map_err(|error| format!("the region's records cannot be read: {error}"))?;
    }
    Ok(records)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
