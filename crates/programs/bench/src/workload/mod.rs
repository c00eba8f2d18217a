//! `bench workload NAME`: the one door to all workloads that clients drive at rising rates. Those that terminals drive against one
//! region are described here (`all`), as cases with loads; the others have a module for their kind of client.
//!
//! ```text
//! Workload ─► Case ─► Stage: a region ──► Load ─► Terminals with think time ─► Meter: warms, settles, is measured ─► Outcome
//!                                                                                        tables beside published ones, plots
//! ```

mod all;
mod kind;
mod published;
mod show;
mod sockets;
mod stage;

use crate::authenticator::show as authenticator;
use crate::contacts::tables as contacts;
use crate::regions;
use crate::web::rates;

/// The word that asks for it.
pub(crate) const WORD: &str = "workload";

type Show = fn(&[String]) -> Result<(), String>;

/// Workloads of other clients, and of terminals at several regions.
const OTHERS: [(&str, Show); 7] = [
    (authenticator::WORD, authenticator::show),
    (regions::show::WORD, regions::show::show),
    ("dsw", regions::dsw::show),
    (rates::WORD, rates::show),
    (regions::web::WORD, regions::web::show),
    (contacts::WORD, contacts::show),
    (sockets::WORD, sockets::show),
];

/// Measures the workload whose name comes first.
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let name = words.first().map_or("", String::as_str);
    let rest = words.get(1..).unwrap_or_default();
    if let Some((_, show)) = OTHERS.iter().find(|(known, _)| *known == name) {
        return show(rest);
    }
    if all::NAMES.contains(&name) {
        return show::show(name, rest);
    }
    let names: Vec<_> = OTHERS.iter().map(|(name, _)| *name).chain(all::NAMES).collect();
    Err(format!("workloads are {}, not {name}", names.join(", ")))
}
