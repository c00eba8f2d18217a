//! The relational workload of the published report: the seven transactions of the sample `rtw`, one task after the other, beside
//! the published processor time of a transaction. There the database works on the region's own processor time; here it is a
//! process of its own, so the figure has both, and the notes have each.

use crate::Options;
use crate::clock::{median, processor_time, progress};
use crate::processes;
use crate::promise::Measured;
use crate::site::{Site, Workshop};

use super::units::with_own_tables;

/// Microseconds of a transaction in the report's section 9.2.4, over the rates of its table.
const PUBLISHED: f64 = 1_257.0;
/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Tasks of each transaction in a round.
const TASKS: usize = 200;
const TRANSACTIONS: usize = 7;
/// From one number to the next: prime, so that customers and products all have their turn.
const STEP: usize = 7_919;

/// The sample.
pub(crate) const FILES: [(&str, &str); 15] = [
    ("rtw.sql", include_str!("../../../../../samples/rtw/rtw.sql")),
    ("rtw.csd", include_str!("../../../../../samples/rtw/rtw.csd")),
    ("copy/RTWROWS.cpy", include_str!("../../../../../samples/rtw/copy/RTWROWS.cpy")),
    ("copy/RTWCURS.cpy", include_str!("../../../../../samples/rtw/copy/RTWCURS.cpy")),
    ("copy/RTWTASK.cpy", include_str!("../../../../../samples/rtw/copy/RTWTASK.cpy")),
    ("copy/RTWREAD.cpy", include_str!("../../../../../samples/rtw/copy/RTWREAD.cpy")),
    ("copy/RTWLOOK.cpy", include_str!("../../../../../samples/rtw/copy/RTWLOOK.cpy")),
    ("copy/RTWCHNG.cpy", include_str!("../../../../../samples/rtw/copy/RTWCHNG.cpy")),
    ("cobol/RTWP1.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP1.cbl")),
    ("cobol/RTWP2.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP2.cbl")),
    ("cobol/RTWP3.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP3.cbl")),
    ("cobol/RTWP4.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP4.cbl")),
    ("cobol/RTWP5.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP5.cbl")),
    ("cobol/RTWP6.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP6.cbl")),
    ("cobol/RTWP7.cbl", include_str!("../../../../../samples/rtw/cobol/RTWP7.cbl")),
];
pub(crate) const CONFIG: &str = include_str!("../../../../../samples/rtw/region.toml");

/// The cost of a task of one transaction, in microseconds.
#[derive(Clone, Copy)]
struct Cost {
    region: f64,
    server: f64,
}

/// The mean of the seven, each as often as the others.
pub(crate) fn workload(options: &Options, id: &str) -> Result<Measured, String> {
    measured(options, id, CONFIG)
}

/// The same over the region's own tables.
pub(crate) fn over_own_tables(options: &Options, id: &str) -> Result<Measured, String> {
    measured(options, id, &with_own_tables(CONFIG))
}

fn measured(options: &Options, id: &str, config: &str) -> Result<Measured, String> {
    let workshop = Workshop::empty()?;
    workshop.scratch("cobol")?;
    workshop.scratch("copy")?;
    for (name, text) in FILES {
        workshop.write(name, text)?;
    }
    let site = workshop.region_of(&config.replace(":3270\"", ":0\""), 1)?;
    // PostgreSQL starts with the first statement, which waits for it.
    run(&site, 0, 1);
    let servers = processes::descendants(std::process::id());
    if servers.is_empty() && config == CONFIG {
        return Err(String::from("no PostgreSQL runs"));
    }
    let (rounds, tasks) = (options.size(ROUNDS, 1), options.size(TASKS, 2));
    let mut costs = vec![Vec::new(); TRANSACTIONS];
    for round in 0..=rounds {
        progress(&format!("{id}: round {round} of {rounds}"));
        for (transaction, costs) in costs.iter_mut().enumerate() {
            let cost = measure(&site, &servers, transaction, tasks);
            // The first round warms up.
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    progress("");
    site.end();
    Ok(told(&costs, !servers.is_empty()))
}

/// Runs tasks of a transaction, each with a number of its own.
fn run(site: &Site, transaction: usize, tasks: usize) {
    let name = format!("RTW{}", transaction + 1);
    for task in 0..tasks {
        let number = task * STEP % 1_000;
        site.run(&name, Some(format!("{number:08}").as_bytes()));
    }
}

fn measure(site: &Site, servers: &[u32], transaction: usize, tasks: usize) -> Cost {
    let now = || (processor_time(), processes::time_of(servers));
    let before = now();
    run(site, transaction, tasks);
    let after = now();
    let each = |from: f64, to: f64| (to - from) * 1e6 / tasks as f64;
    Cost { region: each(before.0, after.0), server: each(before.1, after.1) }
}

fn told(costs: &[Vec<Cost>], has_server: bool) -> Measured {
    let medians = |part: fn(&Cost) -> f64| -> Vec<f64> {
        costs.iter().map(|rounds| median(rounds.iter().map(part).collect())).collect()
    };
    let (region, server) = (medians(|cost| cost.region), medians(|cost| cost.server));
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let cells = |of: &[f64]| of.iter().map(|us| format!("{us:.0}")).collect::<Vec<_>>().join(", ");
    let measured = Measured::new(mean(&region) + mean(&server), PUBLISHED).note(format!(
        "the region's part: {:.0} us; RTW1 to RTW7: {}",
        mean(&region),
        cells(&region)
    ));
    if !has_server {
        return measured;
    }
    measured.note(format!("PostgreSQL's part: {:.0} us; RTW1 to RTW7: {}", mean(&server), cells(&server)))
}
