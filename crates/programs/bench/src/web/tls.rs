//! The document's request over TLS: ended by the region, and by a proxy in front of it.

use std::time::Duration;

use ports::{Certificate, Suites, TlsPolicy, TlsVersion};

use super::REQUESTS;
use super::client::Load;
use super::floor::Floor;
use super::messages::ten;
use super::proxy::{Proxy, Says};
use super::stage::{CLIENTS, ROUNDS, Stage, cost, per_request};
use crate::Options;
use crate::clock::in_turns;
use crate::promise::Measured;
use crate::site::Workshop;

/// Requests of one round, with a handshake each.
const HANDSHAKES: usize = 2_000;

/// The part of TLS that is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tls {
    /// A full handshake for each request.
    Full,
    /// A resumed session for each request.
    Resumed,
    /// Kept connections.
    Kept,
}

/// A door that ends TLS as the region does, and sends back what it gets.
pub(super) fn echoing_door(stage: &Stage) -> Result<Floor, String> {
    let policy = TlsPolicy {
        versions: (TlsVersion::Tls12, TlsVersion::Tls13),
        resumption: Duration::from_secs(600),
        name: "FLOOR",
        suites: &Suites::default(),
        others: &[],
    };
    let key = stage.folder.join("door.key");
    let certificate = Certificate::with_policy(&stage.authority(), &key, None, &policy);
    Floor::door(certificate.map_err(|why| why.to_string())?)
}

/// The load of one round.
fn load(options: &Options, stage: &Stage, what: Tls) -> Result<Load, String> {
    let closes = what != Tls::Kept;
    let request = stage.request("/ten", "text/xml; charset=utf-8", &ten(), closes)?;
    Ok(Load {
        count: options.size(if closes { HANDSHAKES } else { REQUESTS }, CLIENTS * 2),
        clients: CLIENTS,
        request: request.file,
        closes,
        authority: Some(stage.authority()),
        resumes: what == Tls::Resumed,
        ..Load::default()
    })
}

/// The document's request over TLS beside our own door, which sends the same bytes back.
pub(crate) fn ended_here(
    options: &Options,
    workshop: &Workshop,
    id: &str,
    what: Tls,
) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let floor = echoing_door(&stage)?;
    let load = load(options, &stage, what)?;
    let rounds = options.size(ROUNDS, 1);
    let port = stage.port("WEBS")?;
    let measure = |old: bool| {
        let (service, bare) =
            (Load { port, old, ..load.clone() }, Load { port: floor.port, old, ..load.clone() });
        in_turns(id, rounds, || per_request(&service), || per_request(&bare))
    };
    let (figure, bare) = measure(false);
    let mut measured = Measured::new(figure, bare);
    if load.closes {
        let (figure, bare) = measure(true);
        measured = measured.note(format!("TLS 1.2: {figure:.1} us, {:.2} x its floor", figure / bare));
    }
    drop(floor);
    stage.site.end();
    Ok(measured)
}

/// The same where a proxy ends TLS, both processes, beside the same proxy in front of hyper.
pub(crate) fn ended_by_a_proxy(
    options: &Options,
    workshop: &Workshop,
    id: &str,
    what: Tls,
) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let floor = Floor::hyper()?;
    let proxy = Proxy::start(&stage.folder, stage.port("WEBP")?, Says::WhoTheClientIs)?;
    let bare = Proxy::start(&stage.folder, floor.port, Says::Nothing)?;
    let load = load(options, &stage, what)?;
    let through = |proxy: &Proxy| {
        let load = Load { port: proxy.port, ..load.clone() };
        cost(&load, &[proxy.pid()]).processor
    };
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor_of_it) = in_turns(id, rounds, || through(&proxy), || through(&bare));
    drop(floor);
    stage.site.end();
    Ok(Measured::new(figure, floor_of_it))
}
