//! Web services: SOAP and JSON over a COBOL program, with TLS and without, each beside a server that sends the same bytes
//! back. Clients are a process of their own.

pub(crate) mod bare;
pub(crate) mod client;
mod floor;
pub(crate) mod messages;
pub(crate) mod proxy;
pub(crate) mod published;
pub(crate) mod rates;
pub(crate) mod stage;
pub(crate) mod tls;

use std::io::Write;
use std::net::TcpStream;

use binding::BindingFile;
use diagnostics::Source;
use mapping::xml::{self, Way};

use self::client::Load;
use self::floor::Floor;
use self::messages::{envelope, order, ten, ten_in_json};
use self::stage::{CLIENTS, ROUNDS, Stage, per_request};
use crate::Options;
use crate::clock::{in_turns, spent};
use crate::inputs::binding_file;
use crate::processes::resident;
use crate::promise::Measured;
use crate::site::Workshop;

/// Requests of one round: small ones, with a connection each, of fifty lines.
const REQUESTS: usize = 40_000;
const CONNECTIONS: usize = 8_000;
const ORDERS: usize = 8_000;
/// Half-open requests, and the rates in a second that are compared.
const SLOW: usize = 1_000;
const MIDDLE: u64 = 1_000;
const HIGHEST: u64 = 2_000;

/// A service of the region beside hyper, which sends the same bytes back.
fn beside_hyper(
    options: &Options,
    workshop: &Workshop,
    id: &str,
    message: (&str, &str, &str),
    closes: bool,
    requests: usize,
) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let floor = Floor::hyper()?;
    let (path, media, body) = message;
    let request = stage.request(path, media, body, closes)?;
    let count = options.size(requests, CLIENTS * 2);
    let load = Load { count, clients: CLIENTS, request: request.file, closes, ..Load::default() };
    let load = |port: u16| Load { port, ..load.clone() };
    let (service, bare) = (load(stage.port("WEB")?), load(floor.port));
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor_of_it) = in_turns(id, rounds, || per_request(&service), || per_request(&bare));
    let alone = Load { clients: 1, count: options.size(requests / 8, 4), ..service };
    let alone = per_request(&alone);
    drop(floor);
    stage.site.end();
    Ok(Measured::new(figure, floor_of_it).note(format!("one client alone: {alone:.1} us")))
}

/// The document's request, on connections that are kept or with one for each.
pub(crate) fn soap(options: &Options, workshop: &Workshop, closes: bool) -> Result<Measured, String> {
    let body = ten();
    let message = ("/ten", "text/xml; charset=utf-8", body.as_str());
    let (id, requests) =
        if closes { ("soap-connection", CONNECTIONS) } else { ("soap-persistent", REQUESTS) };
    beside_hyper(options, workshop, id, message, closes, requests)
}

/// The document's request to a program that waits for it, beside a task for each, in the same region.
pub(crate) fn direct_service(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let request = stage.request("/ten", "text/xml; charset=utf-8", &ten(), false)?;
    let count = options.size(REQUESTS, CLIENTS * 2);
    let load = Load { count, clients: CLIENTS, request: request.file, ..Load::default() };
    let direct = crate::direct::address(&stage.site, "direct")?.port();
    let (direct, normal) = (Load { port: direct, ..load.clone() }, Load { port: stage.port("WEB")?, ..load });
    let rounds = options.size(ROUNDS, 1);
    let measured = in_turns("direct-service", rounds, || per_request(&direct), || per_request(&normal));
    stage.site.end();
    Ok(Measured::new(measured.0, measured.1))
}

/// The same in JSON, through the gateway.
pub(crate) fn json(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let body = ten_in_json();
    let message = ("/services/null1", "application/json", body.as_str());
    beside_hyper(options, workshop, "json-persistent", message, false, REQUESTS)
}

/// An order of fifty lines beside hyper and the mapping alone.
pub(crate) fn order_of_fifty_lines(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let order = order();
    let body = envelope(&order);
    let message = ("/order", "text/xml; charset=utf-8", body.as_str());
    let echoed = beside_hyper(options, workshop, "order-soap", message, false, ORDERS)?;
    let mapped = mapping_alone(options, &order)?;
    let floor = echoed.floor + mapped;
    Ok(Measured { floor, ..echoed }.note(format!("of the floor, the mapping: {mapped:.1} us")))
}

/// Microseconds of a message read into a record and written from it.
fn mapping_alone(options: &Options, message: &str) -> Result<f64, String> {
    let text = binding_file("/order", include_str!("../../programs/order.cpy"));
    let told = |messages: Vec<diagnostics::Diagnostic>| {
        messages.iter().map(|message| message.render(false)).collect::<String>()
    };
    let made =
        BindingFile::read(&Source::new("order.wsbind", text)).and_then(|file| file.make()).map_err(told)?;
    let operation = made.service.operations.first().ok_or("the binding has no operation")?;
    let (Some(request), Some(response)) = (&operation.request, &operation.response) else {
        return Err(String::from("the binding has no messages"));
    };
    let times = options.size(ORDERS, 10);
    let mut outcome = Ok(());
    let seconds = spent(|| {
        for _ in 0..times {
            let mut written = Vec::new();
            outcome = xml::read(request, message.as_bytes(), None, Way::Quick)
                .and_then(|record| xml::write(response, &record, &mut written))
                .map_err(|fault| fault.to_string());
        }
    });
    outcome.map(|()| seconds * 1e6 / times as f64)
}

/// Measures the cost of a request at the highest rate, beside the middle one.
pub(crate) fn linearity(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let request = stage.request("/ten", "text/xml; charset=utf-8", &ten(), false)?;
    let load = Load { port: stage.port("WEB")?, clients: CLIENTS, request: request.file, ..Load::default() };
    let seconds = options.size(5, 1);
    let at = |rate: u64| {
        let count = if options.quick { CLIENTS * 2 } else { rate as usize * seconds };
        per_request(&Load { count, rate, ..load.clone() })
    };
    let rounds = options.size(ROUNDS, 1);
    let (highest, middle) = in_turns("web-linearity", rounds, || at(HIGHEST), || at(MIDDLE));
    stage.site.end();
    Ok(Measured::new(highest, middle).note(format!("{HIGHEST} and {MIDDLE} requests a second")))
}

/// Measures the cost of a request while others are half-open, beside the same without them.
pub(crate) fn slow_clients(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let request = stage.request("/ten", "text/xml; charset=utf-8", &ten(), false)?;
    let port = stage.port("WEB")?;
    let count = options.size(REQUESTS / 4, CLIENTS * 2);
    let load = Load { port, count, clients: CLIENTS, request: request.file, ..Load::default() };
    let slow = options.size(SLOW, 20);
    // What the very first ones take is the process's own for later ones.
    let mut each = 0;
    let with_slow_ones = || {
        let before = resident().unwrap_or_default();
        let half_open: Vec<TcpStream> = (0..slow).filter_map(|_| half_open(port)).collect();
        assert_eq!(half_open.len(), slow, "half-open requests are taken");
        let figure = per_request(&load);
        each = each.max(resident().unwrap_or_default().saturating_sub(before) / slow);
        figure
    };
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) = in_turns("slow-clients", rounds, with_slow_ones, || per_request(&load));
    stage.site.end();
    Ok(Measured::new(figure, floor).note(format!("{slow} half-open requests, {each} bytes each")))
}

/// A connection with half a request.
fn half_open(port: u16) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"POST /ten HTTP/1.1\r\nHost: localhost\r\nContent-Le").ok()?;
    Some(stream)
}
