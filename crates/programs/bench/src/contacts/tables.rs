//! `bench contacts`: the paper's two tables, with its columns, measured on both paths: rows for docs/direct-path.md.

use std::process::{Command, Stdio};

use super::{Stage, workshop};
use crate::client::{self, Message, Told};
use crate::clock::{median, processor_time, progress};
use crate::direct::CLIENTS;
use crate::{log, processes};

/// The word that asks for it.
pub(crate) const WORD: &str = "contacts";
const USAGE: &str = "usage: bench contacts [--seconds N] [--rounds N] [--clients N]";

/// The loads to be measured.
struct Shown {
    /// Seconds of each load.
    seconds: usize,
    /// Loads of which the median is taken.
    rounds: usize,
    clients: usize,
}

impl Shown {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut shown = Self { seconds: 10, rounds: 5, clients: CLIENTS };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let value = arguments.next().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
            let value = value.ok_or_else(|| format!("{argument} wants a number above zero"))?;
            match argument.as_str() {
                "--seconds" => shown.seconds = value,
                "--rounds" => shown.rounds = value,
                "--clients" => shown.clients = value,
                other => return Err(format!("{other} is no option")),
            }
        }
        Ok(shown)
    }
}

/// The outcome of one load.
#[derive(Clone, Copy)]
struct Figures {
    /// Microseconds from a message to its answer, the mean.
    response: f64,
    /// Answers in a second: all seconds, and the best of them.
    average: f64,
    most: f64,
    /// Processor time for a message, in microseconds.
    region: f64,
    postgresql: f64,
}

/// A row of a table: what it is called, and which figure it shows.
type Row = (&'static str, fn(&Figures) -> f64);

const ROWS: [Row; 6] = [
    ("response time, average (µs)", |f| f.response),
    ("throughput, average (a second)", |f| f.average),
    ("throughput, most (a second)", |f| f.most),
    ("processor time: region (µs)", |f| f.region),
    ("processor time: PostgreSQL (µs)", |f| f.postgresql),
    ("processor time: total (µs)", |f| f.region + f.postgresql),
];

/// A scenario: its name, and what the paper says of each row, CICS and the prototype.
struct Scenario {
    name: &'static str,
    message: Message,
    published: [Option<(f64, f64)>; ROWS.len()],
}

/// The paper's CPU of the TP monitor and TCP/IP together is the region's; its MSU stand for all processor time.
const SCENARIOS: [Scenario; 2] = [
    Scenario {
        name: "query only",
        message: Message::Query,
        published: [
            Some((327.0, 46.0)),
            Some((30.0, 152.0)),
            Some((35.0, 223.0)),
            Some((475.79, 122.69)),
            Some((25.43, 0.75)),
            Some((501.22, 123.44)),
        ],
    },
    Scenario {
        name: "all kinds",
        message: Message::AllKinds,
        published: [Some((284.0, 142.0)), Some((35.0, 66.0)), None, None, None, Some((21_465.0, 10_194.0))],
    },
];

/// The places of the contacts: the name, and the path of its messages.
const PLACES: [(&str, &str); 2] = [("a table", "/sql"), ("a KSDS", "/vsam")];

/// Measures, and prints a table for each scenario and place.
pub(crate) fn show(arguments: &[String]) -> Result<(), String> {
    let shown = Shown::read(arguments).map_err(|what| format!("{what}\n{USAGE}"))?;
    log::start();
    let workshop = workshop()?;
    let stage = Stage::new(&workshop)?;
    println!(
        "{} clients at a time, a process of their own; {} loads of {} s on each path in turns, the median of each figure.\n",
        shown.clients, shown.rounds, shown.seconds
    );
    for scenario in &SCENARIOS {
        for (place, path) in PLACES {
            let both = measured(&shown, &stage, scenario, path)?;
            print(scenario, place, &both);
        }
    }
    stage.site.end();
    Ok(())
}

/// Both paths, the normal one first.
fn measured(shown: &Shown, stage: &Stage, scenario: &Scenario, path: &str) -> Result<[Figures; 2], String> {
    let mut found = [Vec::new(), Vec::new()];
    // The first round warms up.
    for round in 0..=shown.rounds {
        for (figures, port) in found.iter_mut().zip([stage.normal, stage.direct]) {
            progress(&format!("{} {path}: round {round} of {}", scenario.name, shown.rounds));
            let one = load(shown, stage, scenario.message, port, path)?;
            if round > 0 {
                figures.push(one);
            }
        }
    }
    progress("");
    Ok(found.map(|figures| medians(&figures)))
}

fn medians(figures: &[Figures]) -> Figures {
    let of = |which: fn(&Figures) -> f64| median(figures.iter().map(which).collect());
    Figures {
        response: of(|f| f.response),
        average: of(|f| f.average),
        most: of(|f| f.most),
        region: of(|f| f.region),
        postgresql: of(|f| f.postgresql),
    }
}

/// One load on one path.
fn load(shown: &Shown, stage: &Stage, message: Message, port: u16, path: &str) -> Result<Figures, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let numbers = [usize::from(port), shown.seconds, shown.clients].map(|number| number.to_string());
    let mut command = Command::new(own);
    command.args([client::WORD, "timed", message.word(), path]).args(numbers).stdin(Stdio::null());
    let (region, postgresql) = (processor_time(), processes::time_of(&stage.servers));
    let done = command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    let (region, postgresql) = (processor_time() - region, processes::time_of(&stage.servers) - postgresql);
    let told = Told::read(&String::from_utf8_lossy(&done.stdout));
    let told = told.filter(|told| done.status.success() && told.answers > 0);
    let told = told.ok_or_else(|| format!("clients of {path} had no answers"))?;
    let answers = told.answers as f64;
    Ok(Figures {
        response: told.response_us,
        average: answers / shown.seconds as f64,
        most: told.most as f64,
        region: region * 1e6 / answers,
        postgresql: postgresql * 1e6 / answers,
    })
}

fn print(scenario: &Scenario, place: &str, [normal, direct]: &[Figures; 2]) {
    println!(
        "| {}, {place} | normal path | direct path | direct / normal | published: CICS | prototype | prototype / CICS |",
        scenario.name
    );
    println!("|---|---|---|---|---|---|---|");
    for ((name, of), published) in ROWS.iter().zip(scenario.published) {
        let (normal, direct) = (of(normal), of(direct));
        let published = published.map_or_else(
            || String::from("| | | "),
            |(cics, prototype)| format!("| {cics} | {prototype} | {} ", ratio(prototype, cics)),
        );
        println!("| {name} | {} | {} | {} {published}|", shown(normal), shown(direct), ratio(direct, normal));
    }
    println!();
}

fn shown(number: f64) -> String {
    if number < 100.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}

fn ratio(number: f64, of: f64) -> String {
    if of > 0.0 { format!("{:.2}", number / of) } else { String::from("–") }
}
