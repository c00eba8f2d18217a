//! `bench clones`: the Authenticator on one region and on clones that share its records, at rising rates, with the processor time
//! of each process; the published tables beside it, and where the time goes.

use std::fmt::Write;
use std::path::PathBuf;

use instruments::{Cell, Performance, Selection, Shape, Table};

use super::clones::{Ended, Setting, Stage};
use super::meter::Step;
use super::network::Network;
use super::{arguments, page, published};
use crate::authenticator::run;
use crate::clock::say;

/// The word that asks for it.
pub(crate) const WORD: &str = "clones";
/// The usage of this benchmark.
const USAGE: &str = "usage: bench clones [--rates N,N,…] [--seconds N] [--regions N,N,…] [--log off|on|both] \
                     [--terminals N] [--accounts N] [--quick] [--out PAGE.md] [--costs FILE]";
/// The transaction that serves a connection, and its waits for HSM and log.
const SERVER: &str = "AUTS";
const HSM_WAIT: &str = "WTCEWAIT";
const LOG_WAIT: &str = "JCIOWTT";
const SHARED_WAIT: &str = "RLSWAIT";
/// Seconds of a rate.
const SECONDS: f64 = 8.0;
/// Fewer than published: four portfolios are made and imported, and a table is to take no more than twelve minutes.
const ACCOUNTS_HERE: usize = 100_000;
const TERMINALS: usize = 200;

/// The loads to be shown.
struct Shown {
    rates: Vec<f64>,
    seconds: f64,
    regions: Vec<usize>,
    logs: Vec<bool>,
    terminals: usize,
    accounts: usize,
    quick: bool,
    /// The page that gets the tables.
    out: Option<PathBuf>,
    /// The file that gets the costs, for `syncpoint-cards size`.
    costs: PathBuf,
}

impl Shown {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut shown = Self {
            rates: vec![500.0, 1_000.0, 2_000.0, 4_000.0],
            seconds: SECONDS,
            regions: vec![1, 4],
            logs: vec![false, true],
            terminals: TERMINALS,
            accounts: ACCOUNTS_HERE,
            quick: false,
            out: None,
            costs: PathBuf::from("target/bench/costs.txt"),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants something behind it"));
            match word.as_str() {
                "--rates" => shown.rates = arguments::list(value()?)?,
                "--seconds" => shown.seconds = arguments::positive(value()?)?,
                "--regions" => shown.regions = arguments::list(value()?)?,
                "--terminals" => shown.terminals = arguments::positive(value()?)?,
                "--accounts" => shown.accounts = arguments::positive(value()?)?,
                "--quick" => shown.quick = true,
                "--out" => shown.out = Some(value()?.into()),
                "--costs" => shown.costs = value()?.into(),
                "--log" => {
                    shown.logs = match value()?.as_str() {
                        "off" => vec![false],
                        "on" => vec![true],
                        "both" => vec![false, true],
                        other => return Err(format!("--log is off, on or both, not {other}")),
                    }
                }
                other => return Err(format!("{other} is no option")),
            }
        }
        if shown.accounts < shown.terminals {
            return Err(format!("{} terminals want an account each at least", shown.terminals));
        }
        Ok(shown)
    }
}

/// Measures, prints the tables, and writes them where they belong.
pub(crate) fn show(words: &[String]) -> Result<(), String> {
    let shown = Shown::read(words).map_err(|what| format!("{what}\n{USAGE}"))?;
    let mut all = Vec::new();
    for &logged in &shown.logs {
        for &regions in &shown.regions {
            all.push(run(measure(&shown, regions, logged))?);
        }
    }
    let text = text(&shown, &all);
    println!("{text}");
    keep_costs(&shown, &all)?;
    shown.out.as_ref().map_or(Ok(()), |out| page::write(out, WORD, &text))
}

/// All rates of one number of regions.
struct Series {
    regions: usize,
    logged: bool,
    names: Vec<String>,
    steps: Vec<Step>,
    ended: Ended,
}

async fn measure(shown: &Shown, regions: usize, logged: bool) -> Result<Series, String> {
    let &Shown { accounts, terminals, quick, seconds, .. } = shown;
    let mut stage = Stage::start(Setting { regions, accounts, terminals, logged, quick }, say).await?;
    let (names, mut steps) = (stage.names(), Vec::new());
    for &rate in &shown.rates {
        let before = Network::now();
        let step = match stage.step(rate, seconds).await {
            Ok(step) => step,
            Err(what) => {
                let network = Network::now().since(&before);
                let said = stage.last_words().await?;
                return Err(format!("{what}\n\nthe network: {network}\n\nthe regions have said:\n{said}"));
            }
        };
        say(&format!("{regions}, {rate} a second: {}", step.report.line()));
        let held = step.held();
        steps.push(step);
        // What comes behind the first rate that the machine does not hold says nothing.
        if !held && !quick {
            break;
        }
    }
    let ended = stage.end().await?;
    Ok(Series { regions, logged, names, steps, ended })
}

impl Series {
    fn title(&self) -> String {
        let log = if self.logged { "with" } else { "without" };
        match self.regions {
            1 => format!("Measured: one region, {log} the Validation Log"),
            count => format!("Measured: {count} clones and their record server, {log} the Validation Log"),
        }
    }

    /// The places of the processes that authenticate: all but the HSM.
    fn counted(&self) -> std::ops::Range<usize> {
        0..self.names.iter().position(|name| name == "HSM").unwrap_or(self.names.len())
    }

    /// Microseconds of all processes that authenticate, for a message.
    fn all(&self, step: &Step) -> f64 {
        step.processes[self.counted()].iter().map(|time| time.as_secs_f64() * 1e6).sum()
    }

    fn table(&self) -> Table {
        let mut columns = vec![("Rate", "/s"), ("Response", "ms"), ("Client", "ms"), ("p99", "ms")];
        columns.extend(self.names[self.counted()].iter().map(|name| (arguments::heading(name), "µs")));
        columns.extend([
            ("All", "µs"),
            ("All", "% of one"),
            ("HSM", "µs"),
            ("Terminals", "µs"),
            ("RLSWAIT", "%"),
        ]);
        let mut table = Table::new(self.title(), &columns);
        table.rows = self.steps.iter().map(|step| self.row(step)).collect();
        for step in &self.steps {
            if !step.held() {
                let wanted = step.report.wanted_rate.unwrap_or_default();
                table.notes.push(format!("This machine does not hold {wanted:.0} a second."));
            } else if !step.steady {
                table.notes.push(format!("{:.0} a second had not become steady.", step.report.rate()));
            }
        }
        table
    }

    fn row(&self, step: &Step) -> Vec<Cell> {
        let ms = |us: f64| Cell::Number(us / 1e3, 2);
        let us = |time: std::time::Duration| Cell::Number(time.as_secs_f64() * 1e6, 1);
        let records = self.records(None, step);
        let response = records.as_ref().map_or(Cell::Empty, |records| ms(records.response_us()));
        let shared = records.as_ref().and_then(|records| records.wait(SHARED_WAIT));
        let rate = step.report.rate();
        let mut row = vec![Cell::Number(rate, 0), response, ms(step.report.response.mean())];
        row.push(ms(step.report.response.percentile(99.0) as f64));
        row.extend(step.processes[self.counted()].iter().map(|time| us(*time)));
        row.extend([
            Cell::Number(self.all(step), 1),
            Cell::Number(self.all(step) * rate / 1e4, 1),
            step.processes.last().map_or(Cell::Empty, |time| us(*time)),
            us(step.client()),
            shared.map_or(Cell::Empty, |wait| Cell::Number(wait.share, 0)),
        ]);
        row
    }

    /// The performance records of a rate: of one region, or of all.
    fn records(&self, region: Option<&str>, step: &Step) -> Option<Performance> {
        let selection = Selection { transactions: vec![SERVER.to_owned()], between: Some(step.span) };
        let mut records = Performance::new(selection);
        for (name, files) in &self.ended.records {
            if region.is_none_or(|region| region == name) {
                files.iter().try_for_each(|bytes| records.add(bytes)).ok()?;
            }
        }
        (!records.is_empty()).then_some(records)
    }

    /// The highest rate that was held.
    fn best(&self) -> Option<&Step> {
        self.steps.iter().rfind(|step| step.held())
    }

    /// The wait analysis of each process at the highest rate.
    fn waits(&self) -> String {
        let mut text = String::new();
        let Some(step) = self.best().or(self.steps.last()) else { return text };
        for (name, _) in &self.ended.records {
            if let Some(records) = self.records(Some(name), step) {
                // Writing to a String cannot fail.
                let _ = writeln!(
                    text,
                    "{name}, {:.0} a second in all\n{}",
                    step.report.rate(),
                    records.waits().show(Shape::Text)
                );
            }
        }
        if let Some(server) = &self.ended.server {
            let _ = writeln!(text, "The record server, since its start\n{server}");
        }
        text
    }
}

/// All tables, as a page has them.
fn text(shown: &Shown, all: &[Series]) -> String {
    let mut text = arguments::machine();
    let _ = writeln!(
        text,
        "Each rate warms up, becomes steady and is measured for {} seconds; {} terminals, {} accounts, a connection for each message. \
         Processor time is that of a message, in each process; regions record performance data of each task.\n",
        shown.seconds, shown.terminals, shown.accounts
    );
    for &logged in &shown.logs {
        text += "```text\n";
        for series in all.iter().filter(|series| series.logged == logged) {
            text += &series.table().show(Shape::Text);
            text.push('\n');
        }
        text += &published::clones(logged).show(Shape::Text);
        text += "```\n\n";
    }
    for series in all {
        let _ =
            writeln!(text, "{}, where the time goes:\n\n```text\n{}```\n", series.title(), series.waits());
    }
    text + &told(&costs(all))
}

/// Measured costs by the names that `syncpoint-cards size` has for them.
type Costs = Vec<(&'static str, f64)>;

/// The costs at the highest rates that were held; those of clones and one region at the highest one that both held. What was not
/// measured is left out.
fn costs(all: &[Series]) -> Costs {
    let mut costs = Costs::new();
    let of = |shared: bool, logged| {
        all.iter().find(|series| (series.regions > 1) == shared && series.logged == logged)
    };
    for (logged, cost, sharing) in [(false, "cpu-us", "sharing"), (true, "cpu-logged-us", "sharing-logged")] {
        let Some((one, alone)) = of(false, logged).and_then(|one| Some((one, one.best()?))) else { continue };
        costs.push((cost, one.all(alone)));
        let both = of(true, logged).and_then(|clones| {
            let pairs = clones.steps.iter().zip(&one.steps);
            let (together, alone) = pairs.rev().find(|(two, one)| two.held() && one.held())?;
            Some(clones.all(together) / one.all(alone))
        });
        costs.extend(both.map(|factor| (sharing, factor)));
        if let Some(records) = one.records(None, alone)
            && !costs.iter().any(|(name, _)| *name == "hsm-us")
        {
            let wait = |field| records.wait(field).map_or(0.0, |wait| wait.us);
            costs.extend([("hsm-us", wait(HSM_WAIT)), ("force-us", wait(LOG_WAIT))]);
        }
    }
    costs
}

fn told(costs: &Costs) -> String {
    let factor =
        |name| costs.iter().find(|(known, _)| *known == name).map(|(_, factor)| format!("{factor:.2}"));
    match (factor("sharing"), factor("sharing-logged")) {
        (None, None) => String::new(),
        (without, with) => {
            let shown = |factor: Option<String>| factor.unwrap_or_else(|| String::from("not measured"));
            format!(
                "Clones with their record server, beside one region: {} × its processor time without the Validation Log, {} × with \
                 it. Published: 703 µs beside 498 µs, 1.41 ×.\n",
                shown(without),
                shown(with)
            )
        }
    }
}

/// Writes the costs for `syncpoint-cards size --measured`.
fn keep_costs(shown: &Shown, all: &[Series]) -> Result<(), String> {
    let lines: String = costs(all).iter().map(|(name, figure)| format!("{name} = {figure:.3}\n")).collect();
    let failed = |error: std::io::Error| format!("{}: {error}", shown.costs.display());
    if let Some(folder) = shown.costs.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(&shown.costs, lines).map_err(failed)?;
    println!("The costs, for `syncpoint-cards size --measured {}`", shown.costs.display());
    Ok(())
}
