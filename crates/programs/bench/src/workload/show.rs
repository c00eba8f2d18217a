//! The tables and plots of a workload: measured and published figures side by side.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use instruments::{Cell, Plot, Point, Series, Shape, Table};

use super::all;
use super::kind::{Across, Case, Line, Load, Workload};
use super::stage::{Outcome, Stage};
use crate::authenticator::run;
use crate::clock::say;
use crate::regions::{arguments, page};

/// The options of each workload.
const USAGE: &str = "usage: bench workload NAME [--rates N,N,…] [--seconds N] [--terminals N] [--quick] [--busy] [--out PAGE.md]";

/// The loads to be shown.
struct Shown {
    /// Rates in place of the workload's own.
    rates: Option<Vec<f64>>,
    seconds: f64,
    terminals: Option<usize>,
    quick: bool,
    /// Other work has the machine, too: the page says so.
    busy: bool,
    out: Option<PathBuf>,
}

impl Shown {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut shown =
            Self { rates: None, seconds: 15.0, terminals: None, quick: false, busy: false, out: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants something behind it"));
            match word.as_str() {
                "--rates" => shown.rates = Some(arguments::list(value()?)?),
                "--seconds" => shown.seconds = arguments::positive(value()?)?,
                "--terminals" => shown.terminals = Some(arguments::positive(value()?)?),
                "--quick" => shown.quick = true,
                "--busy" => shown.busy = true,
                "--out" => shown.out = Some(value()?.into()),
                other => return Err(format!("{other} is no option")),
            }
        }
        Ok(shown)
    }

    /// The loads of a case, as many of them as are wanted.
    fn loads(&self, across: Across, case: &Case) -> Vec<Load> {
        const SLOW: f64 = 20.0;
        let first = || case.loads.first().cloned();
        match (&self.rates, across) {
            (_, Across::Rate) if self.quick => {
                first().map(|load| Load { rate: SLOW, place: SLOW, ..load }).into_iter().collect()
            }
            _ if self.quick => {
                case.loads.iter().take(2).map(|load| Load { rate: SLOW, ..load.clone() }).collect()
            }
            (Some(rates), Across::Rate) => {
                rates.iter().filter_map(|rate| Some(Load { rate: *rate, place: *rate, ..first()? })).collect()
            }
            (Some(rates), Across::Containers) => {
                let rate = |load: &Load| rates.iter().copied().fold(load.rate, f64::min);
                case.loads.iter().map(|load| Load { rate: rate(load), ..load.clone() }).collect()
            }
            (None, _) => case.loads.clone(),
        }
    }
}

/// The loads of a case with their outcomes.
struct Measured<'a> {
    case: &'a Case,
    outcomes: Vec<(Load, Outcome)>,
}

/// Measures, prints the tables and plots, and writes them where they belong.
pub(super) fn show(name: &str, words: &[String]) -> Result<(), String> {
    let shown = Shown::read(words).map_err(|what| format!("{what}\n{USAGE}"))?;
    let workload = all::of(name, shown.quick).ok_or_else(|| format!("{name} is no workload"))?;
    let mut all = Vec::new();
    for case in &workload.cases {
        say(&format!("{}, {}: the region starts", workload.name, case.name));
        all.push(run(measure(&shown, &workload, case))?);
    }
    let mut text = heading(&shown, &workload);
    let tables: Vec<_> = all.iter().map(|one| table(&workload, one).show(Shape::Text)).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "```text\n{}```\n", tables.join("\n"));
    let plots = plots(&workload, &all);
    for (file, plot) in &plots {
        println!("{}", plot.text());
        let _ = writeln!(text, "![{}]({file})\n", plot.title);
    }
    println!("{text}");
    let Some(out) = &shown.out else { return Ok(()) };
    for (file, plot) in &plots {
        keep(out, file, &plot.svg())?;
    }
    page::write(out, workload.name, &text)
}

fn keep(page: &Path, file: &str, svg: &str) -> Result<(), String> {
    let path = page.with_file_name(file);
    std::fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))
}

fn heading(shown: &Shown, workload: &Workload) -> String {
    let mut text =
        format!("Published: the V5.5 performance report, {}. {}", workload.section, arguments::machine());
    if shown.busy {
        text += page::BUSY;
    }
    let _ = writeln!(
        text,
        "Each load warms up, becomes steady and is measured for {} seconds; {} terminals with think time, in a process of their own. \
         Processor time is that of the region's process. No performance data are recorded.\n",
        shown.seconds,
        shown.terminals.unwrap_or(workload.terminals)
    );
    text
}

async fn measure<'a>(shown: &Shown, workload: &Workload, case: &'a Case) -> Result<Measured<'a>, String> {
    let stage = Stage::start(case, shown.quick).await?;
    let terminals = shown.terminals.unwrap_or(if shown.quick { 4 } else { workload.terminals });
    let seconds = if shown.quick { 1.0 } else { shown.seconds };
    let mut outcomes = Vec::new();
    for load in shown.loads(workload.across, case) {
        let outcome = stage.step(&load, terminals, seconds).await?;
        say(&format!("{}, {}: {}", case.name, load.place, outcome.step.report.line()));
        // What comes behind the first rate that the machine does not hold says nothing.
        let goes_on = outcome.step.held() || shown.quick || workload.across == Across::Containers;
        outcomes.push((load, outcome));
        if !goes_on {
            break;
        }
    }
    stage.end().await?;
    Ok(Measured { case, outcomes })
}

impl Outcome {
    /// Microseconds of processor time of a task: region, and its servers if there are any.
    fn us(&self) -> f64 {
        self.step.processes.iter().map(|time| time.as_secs_f64() * 1e6).sum()
    }

    fn percent(&self) -> f64 {
        self.us() * self.step.report.rate() / 1e4
    }

    fn response(&self) -> f64 {
        self.step.report.response.mean() / 1e3
    }
}

/// Processes beside the region in some outcome.
fn has_servers(measured: &Measured<'_>) -> bool {
    measured.outcomes.iter().any(|(_, outcome)| outcome.step.processes.len() > 1)
}

fn is_traced(measured: &Measured<'_>) -> bool {
    /// Bytes a second that are no trace: statistics.
    const FEW: f64 = 100_000.0;
    measured.outcomes.iter().any(|(_, outcome)| outcome.traced > FEW)
}

fn table(workload: &Workload, measured: &Measured<'_>) -> Table {
    let mut columns = Vec::new();
    if workload.across == Across::Containers {
        columns.push(("Containers", ""));
    }
    columns.extend([("Rate", "/s"), ("CPU", "% of one"), ("CPU", "µs")]);
    if has_servers(measured) {
        columns.extend([("Region", "µs"), ("PostgreSQL", "µs")]);
    }
    columns.extend([("Response", "ms"), ("p99", "ms")]);
    if is_traced(measured) {
        columns.push(("Trace", "MB/s"));
    }
    columns.extend([
        ("Terminals", "µs"),
        ("Published", "/s"),
        ("CPU", "% of one"),
        ("CPU", "µs"),
        ("Response", "ms"),
    ]);
    let mut table = Table::new(measured.case.name, &columns);
    let mut places: Vec<f64> = measured.outcomes.iter().map(|(load, _)| load.place).collect();
    let alone = measured.case.published.iter().filter(|line| !places.iter().any(|place| line.is_of(*place)));
    let alone: Vec<f64> = alone.map(|line| line.place).collect();
    places.extend(alone);
    places.sort_by(f64::total_cmp);
    table.rows = places.iter().map(|place| row(workload, measured, *place)).collect();
    table.notes = notes(measured);
    table
}

fn notes(measured: &Measured<'_>) -> Vec<String> {
    let unusual =
        measured.outcomes.iter().filter(|(_, outcome)| !outcome.step.held() || !outcome.step.steady);
    let note = |(load, outcome): &(Load, Outcome)| {
        let what = if outcome.step.held() { "had not become steady" } else { "is not held by this machine" };
        let place = if load.place == load.rate { String::new() } else { format!(" of {:.0}", load.place) };
        format!("{:.0} a second{place} {what}.", load.rate)
    };
    unusual.map(note).collect()
}

/// A row of a place: what was measured there, and what is published for it.
fn row(workload: &Workload, measured: &Measured<'_>, place: f64) -> Vec<Cell> {
    let outcome = measured.outcomes.iter().find(|(load, _)| load.place == place).map(|(_, outcome)| outcome);
    let number = |figure: fn(&Outcome) -> f64, decimals| {
        outcome.map_or(Cell::Empty, |outcome| Cell::Number(figure(outcome), decimals))
    };
    let mut row = Vec::new();
    if workload.across == Across::Containers {
        row.push(Cell::Number(place, 0));
    }
    row.extend([number(|o| o.step.report.rate(), 0), number(Outcome::percent, 1), number(Outcome::us, 1)]);
    if has_servers(measured) {
        row.push(number(|o| part(o, 0), 1));
        row.push(number(|o| part(o, 1), 1));
    }
    row.push(number(Outcome::response, 2));
    row.push(number(|o| o.step.report.response.percentile(99.0) as f64 / 1e3, 2));
    if is_traced(measured) {
        row.push(number(|o| o.traced / 1e6, 1));
    }
    row.push(number(|o| o.step.client().as_secs_f64() * 1e6, 1));
    let line = measured.case.published.iter().find(|line| line.is_of(place));
    row.extend(line.map_or_else(|| vec![Cell::Empty; 4], cells));
    row
}

/// Microseconds of one process for a task.
fn part(outcome: &Outcome, place: usize) -> f64 {
    outcome.step.processes.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

fn cells(line: &Line) -> Vec<Cell> {
    vec![
        Cell::Number(line.rate, 0),
        Cell::Number(line.percent(), 1),
        Cell::Number(line.ms * 1e3, 0),
        line.response.map_or(Cell::Empty, |ms| Cell::Number(ms, 2)),
    ]
}

/// The plots with their files: processor time, and response where it is published.
fn plots(workload: &Workload, all: &[Measured<'_>]) -> Vec<(String, Plot)> {
    let by_place = workload.across == Across::Containers;
    let x = if by_place { "containers" } else { "tasks a second" };
    let others = workload.others.iter().map(|(name, lines)| (*name, lines.as_slice()));
    let published = |value: fn(&Line) -> Option<f64>| -> Vec<Series> {
        let own = all.iter().map(|one| (one.case.name, one.case.published.as_slice()));
        let series = |(name, lines): (&str, &[Line])| Series {
            name: if name.starts_with("published") { name.to_owned() } else { format!("{name}, published") },
            points: lines.iter().filter_map(|line| Some(Point { x: line.place, y: value(line)? })).collect(),
        };
        own.chain(others.clone()).map(series).collect()
    };
    let measured = |value: fn(&Outcome) -> f64| -> Vec<Series> {
        let at = |(load, outcome): &(Load, Outcome)| {
            let x = if by_place { load.place } else { outcome.step.report.rate() };
            Point { x, y: value(outcome) }
        };
        let series = |one: &Measured<'_>| Series {
            name: format!("{}, measured", one.case.name),
            points: one.outcomes.iter().map(at).collect(),
        };
        all.iter().map(series).collect()
    };
    let plot = |what: &str, y: &str, series: Vec<Series>| Plot {
        title: format!("{}: {what}", workload.name),
        x: x.to_owned(),
        y: y.to_owned(),
        series,
    };
    let (unit, series) = if by_place {
        ("µs of a task", [measured(Outcome::us), published(|line| Some(line.ms * 1e3))])
    } else {
        ("% of one processor", [measured(Outcome::percent), published(|line| Some(line.percent()))])
    };
    let file = format!("workload-{}.svg", workload.name);
    let mut plots = vec![(file, plot("processor time", unit, series.concat()))];
    if all.iter().any(|one| one.case.published.iter().any(|line| line.response.is_some())) {
        let series = [measured(Outcome::response), published(|line| line.response)].concat();
        let file = format!("workload-{}-response.svg", workload.name);
        plots.push((file, plot("response time", "ms", series)));
    }
    plots
}
