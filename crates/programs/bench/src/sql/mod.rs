//! SQL. A request that is one SELECT by key, over HTTP to a COBOL program and PostgreSQL, beside axum with tokio-postgres; units
//! of work of tasks beside a bare client (`units`); the published relational workload (`rtw`); the same over the region's own tables (`own`).

mod bare;
mod floor;
pub(crate) mod own;
pub(crate) mod rtw;
mod sqlite;
mod table;
pub(crate) mod units;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::Options;
use crate::client;
use crate::clock::in_turns;
use crate::direct::{Ask, CLIENTS, ROUNDS, address, per_message};
use crate::processes;
use crate::promise::Measured;
use crate::site::Workshop;
use floor::Floor;

/// The longest start of the private PostgreSQL.
const START: Duration = Duration::from_secs(60);

/// The region of both paths, and of its tables.
const CONFIG: &str = include_str!("../../programs/direct.toml");

/// The normal path: a task for each request.
pub(crate) fn web(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    beside_axum(options, workshop, ("web-sql-select", CONFIG), "web")
}

/// The direct path: a program that was started before.
pub(crate) fn direct(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    beside_axum(options, workshop, ("direct-path-select", CONFIG), "direct")
}

/// A door's answers with what one SELECT finds, all processes, beside axum and its PostgreSQL.
fn beside_axum(
    options: &Options,
    workshop: &Workshop,
    (id, config): (&str, &str),
    door: &str,
) -> Result<Measured, String> {
    let floor = Floor::start(&workshop.scratch(&format!("axum-{id}"))?)?;
    let of_floor = floor.servers();
    let site = workshop.region_of(config, 1)?;
    let at: SocketAddr = address(&site, door)?;
    answering(|| client::request(at.port(), "/select"))?;
    let mut of_region = processes::descendants(std::process::id());
    of_region.retain(|pid| !of_floor.contains(pid));
    let rounds = options.size(ROUNDS, 1);
    let with = |clients| {
        let run = |port, servers: &[u32]| per_message(options, &Ask::at(port, "/select", clients), servers);
        in_turns(id, rounds, || run(at.port(), &of_region), || run(floor.port, &of_floor))
    };
    let (load, load_floor) = with(CLIENTS);
    let (alone, alone_floor) = with(1);
    // Of the figure, the region's part.
    let region = per_message(options, &Ask::at(at.port(), "/select", CLIENTS), &[]);
    let axum = per_message(options, &Ask::at(floor.port, "/select", CLIENTS), &[]);
    site.end();
    let ratio = alone / alone_floor;
    Ok(Measured::new(load, load_floor)
        .note(format!("of it the region: {region:.2} us; axum without PostgreSQL: {axum:.2} us"))
        .note(format!("one client: {alone:.2} us beside {alone_floor:.2} us, {ratio:.2} x")))
}

/// Waits until statements are answered: the private PostgreSQL starts when the first one comes.
pub(crate) fn answering(ask: impl Fn() -> std::io::Result<()>) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < START {
        if ask().is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(String::from("no statement is answered"))
}
