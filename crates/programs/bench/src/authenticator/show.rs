//! `bench authenticator`: the Authenticator under load at rising rates, shown to people: the HSM, a region with its
//! accounts, simulated terminals; at the end the tables, where the time goes, and processor time against rate.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use instruments::{Plot, Shape, Table};
use tokio::signal::unix::{SignalKind, signal};

use super::series::RisingRates;
use super::{ACCOUNTS, TERMINALS, published, run};
use crate::clock::progress;

/// The word that asks for it.
pub(crate) const WORD: &str = "authenticator";
/// The usage of this benchmark.
const USAGE: &str = "usage: bench authenticator [--rates N,N,…] [--seconds N] [--log off|on|both] [--floor] \
                     [--accounts N] [--out FOLDER]";

/// The loads to be shown.
pub(crate) struct Shown {
    /// Messages a second, one load after the other.
    pub rates: Vec<f64>,
    /// Seconds of each load.
    pub seconds: f64,
    /// Without the Validation Log, with it, or both.
    logs: Vec<bool>,
    /// The same loads on the bare server.
    pub floor: bool,
    /// Customer accounts.
    pub accounts: usize,
    /// The folder of the plot.
    out: PathBuf,
}

impl Shown {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut shown = Self {
            rates: vec![500.0, 1_000.0, 1_500.0, 2_000.0],
            seconds: 12.0,
            logs: vec![false],
            floor: false,
            accounts: ACCOUNTS,
            out: PathBuf::from("target/bench"),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} wants something behind it"));
            match argument.as_str() {
                "--rates" => shown.rates = value()?.split(',').map(positive).collect::<Result<_, _>>()?,
                "--seconds" => shown.seconds = positive(value()?)?,
                "--accounts" => shown.accounts = positive(value()?)?,
                "--out" => shown.out = value()?.into(),
                "--floor" => shown.floor = true,
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
        if shown.accounts < TERMINALS {
            return Err(format!("{TERMINALS} terminals want an account each at least"));
        }
        Ok(shown)
    }
}

fn positive<T: FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number > T::default());
    number.ok_or_else(|| format!("{text} is no number above zero"))
}

/// Shows it, until it is over or somebody presses Ctrl-C. Whatever was started has ended then, and what it kept is gone.
pub(crate) fn show(arguments: &[String]) -> Result<(), String> {
    let shown = Shown::read(arguments).map_err(|what| format!("{what}\n{USAGE}"))?;
    run(async {
        tokio::select! {
            result = measure_and_tell(&shown) => result,
            ended = asked_to_end() => ended,
        }
    })
}

async fn asked_to_end() -> Result<(), String> {
    let listen = |kind| signal(kind).map_err(|error| format!("signals cannot be waited for: {error}"));
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut hangup = listen(SignalKind::hangup())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Err("ended before its time; everything that was started has ended, too".to_owned())
}

async fn measure_and_tell(shown: &Shown) -> Result<(), String> {
    let mut all = Vec::new();
    for &logged in &shown.logs {
        all.push((logged, RisingRates::measure(shown, logged).await?));
    }
    println!("\n{}", where_it_ran());
    for (logged, rates) in &all {
        tell(&rates.table());
        tell(&published::table(*logged));
        rates.waits().iter().for_each(tell);
    }
    let plot = Plot {
        title: "The Authenticator: processor time of the region against rate".to_owned(),
        x: "authentications a second".to_owned(),
        y: "% of one processor".to_owned(),
        series: all.iter().map(|(_, rates)| rates.series()).collect(),
    };
    println!("{}", plot.text());
    suggest_size(&all);
    keep(&shown.out, &plot.svg())
}

/// A step of the work, in a line of its own.
pub(crate) fn say(what: &str) {
    progress("");
    println!("  {what}");
    // Nobody to tell is no reason to stop.
    let _ = std::io::stdout().flush();
}

fn tell(table: &Table) {
    println!("{}", table.show(Shape::Text));
}

/// Describes the machine and the processes: a figure without them says little.
fn where_it_ran() -> String {
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!(
        "Region, HSM simulator, {TERMINALS} terminals and bare server are a process each, all on this machine: \
         {processors} processors ({}).\nCPU is the processor time of the region's process alone, all its threads, for a \
         request; floor is that of the bare server, which\ndoes the same on sockets with the same HSM. HSM and \
         terminals use theirs apart from it.\n",
        model.map_or("of an unknown kind", |(_, model)| model)
    )
}

/// The way from these figures to a machine for another rate.
fn suggest_size(all: &[(bool, RisingRates)]) {
    let costs =
        |wanted| all.iter().find(|(logged, _)| *logged == wanted).and_then(|(_, rates)| rates.costs());
    let (without, with) = (costs(false), costs(true));
    let logged = with
        .as_ref()
        .map_or_else(String::new, |with| format!(" --cpu-logged-us {:.0} --log", with.processor));
    // One measured with the log alone does not say what it costs without.
    if let Some(costs) = without.or(with) {
        println!(
            "What a machine for 8,000 a second would need, from these figures:\n  syncpoint-cards size --rate 8000 \
             --cpu-us {:.0}{logged} --hsm-us {:.0} --force-us {:.0}\n",
            costs.processor, costs.hsm, costs.force
        );
    }
}

fn keep(folder: &Path, svg: &str) -> Result<(), String> {
    let path = folder.join("authenticator.svg");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, svg))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    println!("The plot as a picture: {}", path.display());
    Ok(())
}
