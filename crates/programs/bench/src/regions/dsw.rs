//! `bench dsw-routed`, and the rows `dsw` and `dsw-engine`: the sample of that name on its five regions, its terminals in this process.

use std::fmt::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use instruments::{Cell, Performance, Selection, Shape, Table};
use tempfile::TempDir;

use super::meter::{Meter, Step};
use super::terminals::Terminals;
use super::topology::Topology;
use super::{arguments, page, published};
use crate::Options;
use crate::authenticator::{run, stage};
use crate::clock::{median, progress, say};
use crate::promise::Measured;
use crate::site::Workshop;

/// The word that asks for it.
pub(crate) const WORD: &str = "dsw-routed";
const USAGE: &str =
    "usage: bench dsw-routed [--rates N,N,…] [--seconds N] [--terminals N] [--quick] [--out PAGE.md]";
/// The sample, its transaction, and the words of its screens.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../samples/dsw");
const TRANSACTION: &str = "DSWT";
const SCREENS: [&str; 2] = ["READY", "DONE"];
/// The addresses of the routing regions in it.
const ADDRESSES: [&str; 2] = ["127.0.0.1:3271", "127.0.0.1:3272"];
const REGIONS: [&str; 5] = ["TOR1", "TOR2", "AOR1", "AOR2", "FOR"];
/// Transactions a second and terminals of the rows.
const RATE: f64 = 1_000.0;
const TERMINALS: usize = 200;
const SECONDS: f64 = 5.0;
const ROUNDS: usize = 5;

/// The five regions, and terminals of both routing regions.
struct Stage {
    topology: Topology,
    terminals: Terminals,
    folder: TempDir,
    quick: bool,
}

impl Stage {
    async fn start(terminals: usize, monitored: bool, quick: bool) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        let addresses = [free()?, free()?];
        let fitted = |name: &str, text: String| fitted(name, text, addresses, monitored);
        stage::copy(Path::new(SAMPLE), folder.path(), &fitted)?;
        let topology = Topology::start(folder.path()).await?;
        let terminals = Terminals::connect(&addresses, terminals, TRANSACTION, SCREENS).await?;
        Ok(Self { topology, terminals, folder, quick })
    }

    /// Transactions at a rate; measured for so long once they come steadily.
    async fn step(&mut self, rate: f64, seconds: f64) -> Result<Step, String> {
        let Self { topology, terminals, quick, .. } = self;
        let times = || topology.times();
        let mut meter = Meter::new(&times, seconds, *quick);
        let see = |report: &load::report::Report| {
            progress(&format!("{rate} a second wanted: {}", report.line()));
            meter.see(report)
        };
        terminals.press(rate, see).await?;
        meter.outcome()
    }

    /// Ends all; the files of performance records of each region.
    async fn end(self) -> Result<Vec<(String, Vec<Vec<u8>>)>, String> {
        let Self { topology, terminals, folder, .. } = self;
        drop(terminals);
        topology.end().await?;
        let region = |name: &&str| {
            let state = folder.path().join(".syncpoint/state").join(name.to_ascii_lowercase());
            Ok(((*name).to_owned(), stage::records(&state.join(region::RECORD_FOLDER))?))
        };
        REGIONS.iter().map(region).collect()
    }
}

fn free() -> Result<SocketAddr, String> {
    let any = TcpListener::bind("127.0.0.1:0").and_then(|any| any.local_addr());
    any.map_err(|error| format!("no free port: {error}"))
}

/// A file of the sample with ports that are free, and with performance records if they are wanted.
fn fitted(name: &str, text: String, addresses: [SocketAddr; 2], monitored: bool) -> String {
    if name.ends_with("topology.toml") {
        let places = ADDRESSES.iter().zip(addresses);
        return places.fold(text, |text, (from, to)| text.replace(from, &to.to_string()));
    }
    match monitored && name.ends_with("region.toml") {
        true => text.replace(stage::SIT, &[stage::SIT, stage::MONITORED].concat()),
        false => text,
    }
}

/// Microseconds of all regions for a transaction.
fn all(step: &Step) -> f64 {
    step.processes.iter().map(|time| time.as_secs_f64() * 1e6).sum()
}

/// The cost of a transaction over all regions, the median of some rounds; what each region has of it.
fn cost(options: &Options) -> Result<(f64, String), String> {
    let (terminals, rate) = (options.size(TERMINALS, 4), if options.quick { 20.0 } else { RATE });
    let seconds = if options.quick { 1.0 } else { SECONDS };
    run(async {
        progress("DSW: five regions start");
        let mut stage = Stage::start(terminals, false, options.quick).await?;
        let names = stage.topology.names();
        let (mut figures, mut last) = (Vec::new(), None);
        for _ in 0..options.size(ROUNDS, 1) {
            let step = stage.step(rate, seconds).await?;
            figures.push(all(&step));
            last = Some(step);
        }
        stage.end().await?;
        let step = last.ok_or("nothing was measured")?;
        let parts = names.iter().zip(&step.processes);
        let parts: Vec<_> =
            parts.map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64() * 1e6)).collect();
        let note = format!(
            "{:.0} a second at {terminals} terminals, response {:.2} ms; us: {}",
            step.report.rate(),
            step.report.response.mean() / 1e3,
            parts.join(", ")
        );
        Ok((median(figures), note))
    })
}

/// A transaction over all regions beside the published one.
pub(crate) fn beside_published(options: &Options) -> Result<Measured, String> {
    let (figure, note) = cost(options)?;
    Ok(Measured::new(figure, published::DSW).note(note))
}

/// A transaction over all regions beside its requests on the record engine.
pub(crate) fn beside_engine(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let floor = crate::engine::dsw_requests(options, workshop)?;
    let (figure, note) = cost(options)?;
    Ok(Measured::new(figure, floor).note(note))
}

/// The loads to be shown.
struct Shown {
    rates: Vec<f64>,
    seconds: f64,
    terminals: usize,
    quick: bool,
    out: Option<PathBuf>,
}

impl Shown {
    fn read(words: &[String]) -> Result<Self, String> {
        let rates = vec![250.0, 500.0, 1_000.0, 2_000.0, 3_000.0, 4_180.0];
        let mut shown = Self { rates, seconds: 15.0, terminals: 1_000, quick: false, out: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants something behind it"));
            match word.as_str() {
                "--rates" => shown.rates = arguments::list(value()?)?,
                "--seconds" => shown.seconds = arguments::positive(value()?)?,
                "--terminals" => shown.terminals = arguments::positive(value()?)?,
                "--quick" => shown.quick = true,
                "--out" => shown.out = Some(value()?.into()),
                other => return Err(format!("{other} is no option")),
            }
        }
        Ok(shown)
    }
}

/// Measures, prints the tables, and writes them where they belong.
pub(crate) fn show(words: &[String]) -> Result<(), String> {
    let shown = Shown::read(words).map_err(|what| format!("{what}\n{USAGE}"))?;
    let text = run(measure(&shown))?;
    println!("{text}");
    shown.out.as_ref().map_or(Ok(()), |out| page::write(out, WORD, &text))
}

async fn measure(shown: &Shown) -> Result<String, String> {
    say(&format!("five regions start, and {} terminals connect", shown.terminals));
    let mut stage = Stage::start(shown.terminals, true, shown.quick).await?;
    let (names, mut steps) = (stage.topology.names(), Vec::new());
    for &rate in &shown.rates {
        let step = stage.step(rate, shown.seconds).await?;
        say(&format!("{rate} a second: {}", step.report.line()));
        let held = step.held();
        steps.push(step);
        if !held && !shown.quick {
            break;
        }
    }
    let records = stage.end().await?;
    let mut text = arguments::machine();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "Each rate warms up, becomes steady and is measured for {} seconds; {} terminals with think time. Processor time is that of a \
         transaction, in each process; regions record performance data of each task.\n",
        shown.seconds, shown.terminals
    );
    let tables = [table(&names, &steps), published::dsw()].map(|table| table.show(Shape::Text));
    let _ = writeln!(text, "```text\n{}```\n", tables.join("\n"));
    if let Some(step) = steps.iter().rfind(|step| step.held()).or(steps.last()) {
        let _ = writeln!(text, "Where the time goes at {:.0} a second:\n\n```text", step.report.rate());
        for (name, files) in &records {
            let _ = writeln!(text, "{name}\n{}", waits(files, step)?);
        }
        text += "```\n";
    }
    Ok(text)
}

/// The wait analysis of a region's tasks: transactions, mirror tasks, or relays.
fn waits(files: &[Vec<u8>], step: &Step) -> Result<String, String> {
    let mut text = String::new();
    for transaction in [TRANSACTION, "CSMI"] {
        let selection = Selection { transactions: vec![transaction.to_owned()], between: Some(step.span) };
        let mut records = Performance::new(selection);
        for bytes in files {
            records.add(bytes).map_err(|error| format!("a region's records cannot be read: {error}"))?;
        }
        if !records.is_empty() {
            text += &records.waits().show(Shape::Text);
            text.push('\n');
        }
    }
    Ok(text)
}

fn table(names: &[String], steps: &[Step]) -> Table {
    let mut columns = vec![("Rate", "/s"), ("Response", "ms"), ("p99", "ms")];
    columns.extend(names.iter().map(|name| (arguments::heading(name), "µs")));
    columns.extend([("All", "µs"), ("All", "% of one"), ("Terminals", "µs")]);
    let mut table = Table::new("Measured: DSW, static routing", &columns);
    let us = |time: Duration| Cell::Number(time.as_secs_f64() * 1e6, 1);
    let row = |step: &Step| {
        let rate = step.report.rate();
        let mut row = vec![
            Cell::Number(rate, 0),
            Cell::Number(step.report.response.mean() / 1e3, 2),
            Cell::Number(step.report.response.percentile(99.0) as f64 / 1e3, 2),
        ];
        row.extend(step.processes.iter().map(|time| us(*time)));
        row.extend([Cell::Number(all(step), 1), Cell::Number(all(step) * rate / 1e4, 1), us(step.client())]);
        row
    };
    table.rows = steps.iter().map(row).collect();
    for step in steps.iter().filter(|step| !step.held() || !step.steady) {
        let wanted = step.report.wanted_rate.unwrap_or_default();
        let what = if step.held() { "had not become steady" } else { "is not held by this machine" };
        table.notes.push(format!("{wanted:.0} a second {what}."));
    }
    table
}
