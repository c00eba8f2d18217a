//! `bench authenticator`: the Authenticator under load at rising rates, shown to people: the HSM, a region with its
//! accounts, simulated terminals; at the end the tables, where the time goes, and processor time against rate.

use std::path::Path;

use instruments::{Plot, Shape, Table};
use tokio::signal::unix::{SignalKind, signal};

use super::series::RisingRates;
use super::shown::Shown;
use super::{TERMINALS, published, run};

/// The word that asks for it.
pub(crate) const WORD: &str = "authenticator";
/// The usage of this benchmark.
const USAGE: &str = "usage: bench authenticator [--rates N,N,…] [--seconds N] [--log off|on|both] [--floor] \
                     [--accounts N] [--out FOLDER]";

/// Shows it, until it is over or the user presses Ctrl-C. Whatever was started has ended then, and what it kept is gone.
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
