//! Regions that are linked: an exchange, a READ, a LINK and a transaction of another region, each beside its floor.

mod exchange;
mod regions;

use crate::Options;
use crate::clock::{in_turns, median, spent};
use crate::promise::Measured;
use crate::site::Site;
use regions::{Regions, TERMINALS};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// From one key to the next.
const STEP: usize = 7;
/// Requests in flight at a time: tasks, or terminals.
const IN_FLIGHT: usize = 8;

/// An exchange over a link beside a bare one.
pub(crate) fn exchange(options: &Options, id: &str) -> Result<Measured, String> {
    let times = options.size(25_000, 20);
    let rounds = options.size(ROUNDS, 1);
    let of = |in_flight| {
        let linked = || exchange::through_a_link(in_flight, times);
        in_turns(id, rounds, linked, || exchange::bare(in_flight, times))
    };
    let (figure, floor) = of(IN_FLIGHT);
    let (alone, alone_floor) = of(1);
    let note = format!("one in flight: {alone:.2} us beside {alone_floor:.2} us");
    Ok(Measured::new(figure, floor).note(note))
}

/// Microseconds of all threads of this process for each of the requests that several tasks make at once.
fn per_request(site: &Site, transaction: &str, requests: usize) -> f64 {
    let commarea = format!("{requests:08}{:08}{STEP:08}", regions::RECORDS);
    let seconds = spent(|| {
        (0..IN_FLIGHT).for_each(|_| site.attach(transaction, Some(commarea.as_bytes())));
        site.idle();
    });
    seconds * 1e6 / (IN_FLIGHT * requests) as f64
}

/// A transaction's requests of another region, beside the same here and a bare exchange.
fn beside(options: &Options, id: &str, there: &str, here: &str) -> Result<Measured, String> {
    let regions = Regions::start()?;
    let requests = options.size(2_000, 5);
    let times = options.size(25_000, 20);
    let (mut local, mut bare) = (Vec::new(), Vec::new());
    let (figure, floor) = in_turns(
        id,
        options.size(ROUNDS, 1),
        || per_request(&regions.asker, there, requests),
        || {
            let (own, exchange) =
                (per_request(&regions.asker, here, requests), exchange::bare(IN_FLIGHT, times));
            local.push(own);
            bare.push(exchange);
            own + exchange
        },
    );
    regions.end()?;
    let (local, bare) = (median(local), median(bare));
    Ok(Measured::new(figure, floor).note(format!("here {local:.2} us, a bare exchange {bare:.2} us")))
}

/// READ of a record of another region.
pub(crate) fn read(options: &Options, id: &str) -> Result<Measured, String> {
    beside(options, id, "RFAR", "RHER")
}

/// LINK to a program of another region.
pub(crate) fn link(options: &Options, id: &str) -> Result<Measured, String> {
    beside(options, id, "LFAR", "LHER")
}

/// A transaction of another region at a terminal of this one, beside the same here and a bare exchange.
pub(crate) fn transaction(options: &Options, id: &str) -> Result<Measured, String> {
    let regions = Regions::start()?;
    let times = options.size(500, 3);
    let exchanges = options.size(25_000, 20);
    let per_transaction = |transaction: &str| -> f64 {
        let terminals = regions.terminals(transaction);
        let seconds = spent(|| regions.press(terminals, times));
        seconds * 1e6 / (TERMINALS * times) as f64
    };
    let (figure, floor) = in_turns(
        id,
        options.size(ROUNDS, 1),
        || per_transaction("TFAR"),
        || per_transaction("THER") + exchange::bare(TERMINALS, exchanges),
    );
    regions.end()?;
    Ok(Measured::new(figure, floor).note(format!("{TERMINALS} terminals, their clients are in both")))
}
