//! Web services: SOAP and JSON over a COBOL program, with TLS and without, each beside a server that sends the same bytes
//! back. Clients are a process of their own.

pub(crate) mod client;
mod floor;

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use binding::BindingFile;
use diagnostics::Source;
use mapping::xml::{self, Way};
use ports::{Certificate, TlsPolicy, TlsVersion};

use self::client::Load;
use self::floor::Floor;
use crate::Options;
use crate::clock::{in_turns, processor_time, spent};
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Requests of one round: small ones, with a connection each, with a handshake each, of fifty lines.
const REQUESTS: usize = 40_000;
const CONNECTIONS: usize = 8_000;
const HANDSHAKES: usize = 2_000;
const ORDERS: usize = 8_000;
/// Clients at the same time.
const CLIENTS: usize = 16;
/// Half-open requests, and the rates in a second that are compared.
const SLOW: usize = 1_000;
const MIDDLE: u64 = 1_000;
const HIGHEST: u64 = 2_000;

/// The options of both bindings.
const BINDING: &str =
    "PGMNAME=NULL1\nOPERATION-NAME=call\nREQUEST-NAMESPACE=urn:b\nRESPONSE-NAMESPACE=urn:b\n";

/// The files of the application that only web services need.
pub(crate) fn files() -> Vec<(&'static str, String)> {
    let (ten, order) = (include_str!("../../programs/ten.cpy"), include_str!("../../programs/order.cpy"));
    vec![
        ("web.csd", include_str!("../../programs/web.csd").to_owned()),
        ("soap.xml", include_str!("../../programs/soap.xml").to_owned()),
        ("TEN.cpy", ten.to_owned()),
        ("ten.wsbind", binding_file("/ten", ten)),
        ("order.wsbind", binding_file("/order", order)),
    ]
}

fn binding_file(path: &str, copybook: &str) -> String {
    format!(
        "format = 1\norigin = \"copybook\"\noptions = \"\"\"\n{BINDING}URI={path}\n\"\"\"\n[description]\nname = \"RECORD.cpy\"\n\
         text = \"\"\"\n{copybook}\"\"\"\n"
    )
}

/// What is sent, and its length.
struct Request {
    file: PathBuf,
}

/// A region with web services, and the folder of what is sent to it.
struct Stage {
    site: Site,
    folder: PathBuf,
}

impl Stage {
    fn new(workshop: &Workshop) -> Result<Self, String> {
        let folder = workshop.scratch("keyring")?;
        certificate(&folder)?;
        Ok(Self { site: workshop.region_with_web(1)?, folder })
    }

    /// The port of a service.
    fn port(&self, service: &str) -> Result<u16, String> {
        self.site.port("web", service).ok_or_else(|| format!("{service} listens nowhere"))
    }

    /// Writes a request.
    fn request(&self, path: &str, media: &str, body: &str, closes: bool) -> Result<Request, String> {
        let connection = if closes { "close" } else { "keep-alive" };
        let text = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\nConnection: {connection}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let file = self.folder.join("request");
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Request { file })
    }

    fn authority(&self) -> PathBuf {
        self.folder.join("door.pem")
    }
}

/// A certificate of the usual kind (P-256) that clients are told to trust.
fn certificate(folder: &Path) -> Result<(), String> {
    let made = rcgen::generate_simple_self_signed(vec![String::from("localhost")]);
    let made = made.map_err(|error| error.to_string())?;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::write(folder.join("door.pem"), made.cert.pem()).map_err(failed)?;
    let key = folder.join("door.key");
    std::fs::write(&key, made.signing_key.serialize_pem()).map_err(failed)?;
    let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(key, only_owner).map_err(failed)
}

/// An envelope round a message.
fn envelope(message: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{message}</s:Body></s:Envelope>"
    )
}

/// The document's message: ten fields of up to 80 characters.
fn ten() -> String {
    let fields = (1..=10).map(|number| format!("<field_{number}>{}</field_{number}>", "ABCDEFGH".repeat(8)));
    envelope(&format!("<b:call xmlns:b=\"urn:b\">{}</b:call>", fields.collect::<String>()))
}

fn ten_in_json() -> String {
    let fields = (1..=10).map(|number| format!("\"field_{number}\":\"{}\"", "ABCDEFGH".repeat(8)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// The order of fifty lines, without its envelope.
fn order() -> String {
    let lines = (1..=50).map(|number| {
        format!(
            "<lines><item>ITEM-{number:03}</item><description>A part of the usual kind</description>\
             <pieces>{number}</pieces><price>{number}.25</price><discount>1.50</discount>\
             <delivery>20261123</delivery><warehouse>{number}</warehouse></lines>"
        )
    });
    format!(
        "<b:call xmlns:b=\"urn:b\"><order_no>4711</order_no><customer>A customer of ours</customer>\
         <ordered>20261101</ordered><total>12345.67</total><remark>to the back door</remark>{}</b:call>",
        lines.collect::<String>()
    )
}

/// Microseconds of this process for each request that a client process sends.
fn per_request(load: &Load) -> f64 {
    let before = processor_time();
    let own = std::env::current_exe().expect("this program's file");
    let mut client = Command::new(own);
    client.arg(client::WORD).args(load.words()).stdin(Stdio::null());
    let ended = client.status().expect("a client process");
    assert!(ended.success(), "the clients had their answers");
    (processor_time() - before) * 1e6 / load.count as f64
}

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

/// What is measured of TLS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tls {
    /// A full handshake for each request.
    Full,
    /// A resumed session for each request.
    Resumed,
    /// Kept connections.
    Kept,
}

/// The document's request over TLS beside our own door, which sends the same bytes back.
pub(crate) fn tls(options: &Options, workshop: &Workshop, what: Tls) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let policy = TlsPolicy {
        versions: (TlsVersion::Tls12, TlsVersion::Tls13),
        resumption: Duration::from_secs(600),
        name: "FLOOR",
    };
    let key = stage.folder.join("door.key");
    let certificate = Certificate::with_policy(&stage.authority(), &key, None, &policy);
    let floor = Floor::door(certificate.map_err(|why| why.to_string())?)?;
    let closes = what != Tls::Kept;
    let request = stage.request("/ten", "text/xml; charset=utf-8", &ten(), closes)?;
    let load = Load {
        count: options.size(if closes { HANDSHAKES } else { REQUESTS }, CLIENTS * 2),
        clients: CLIENTS,
        request: request.file,
        closes,
        authority: Some(stage.authority()),
        resumes: what == Tls::Resumed,
        ..Load::default()
    };
    let (id, rounds) = match what {
        Tls::Full => ("tls-full", options.size(ROUNDS, 1)),
        Tls::Resumed => ("tls-resumed", options.size(ROUNDS, 1)),
        Tls::Kept => ("tls-persistent", options.size(ROUNDS, 1)),
    };
    let port = stage.port("WEBS")?;
    let measure = |old: bool| {
        let (service, bare) =
            (Load { port, old, ..load.clone() }, Load { port: floor.port, old, ..load.clone() });
        in_turns(id, rounds, || per_request(&service), || per_request(&bare))
    };
    let (figure, bare) = measure(false);
    let mut measured = Measured::new(figure, bare);
    if closes {
        let (figure, bare) = measure(true);
        measured = measured.note(format!("TLS 1.2: {figure:.1} us, {:.2} x its floor", figure / bare));
    }
    drop(floor);
    stage.site.end();
    Ok(measured)
}

/// What a request costs at the highest rate, beside the middle one.
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

/// What a request costs while others are half-open, beside the same without them.
pub(crate) fn slow_clients(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let stage = Stage::new(workshop)?;
    let request = stage.request("/ten", "text/xml; charset=utf-8", &ten(), false)?;
    let port = stage.port("WEB")?;
    let count = options.size(REQUESTS / 4, CLIENTS * 2);
    let load = Load { port, count, clients: CLIENTS, request: request.file, ..Load::default() };
    let slow = options.size(SLOW, 20);
    let with_slow_ones = || {
        let half_open: Vec<TcpStream> = (0..slow).filter_map(|_| half_open(port)).collect();
        assert_eq!(half_open.len(), slow, "half-open requests are taken");
        per_request(&load)
    };
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) = in_turns("slow-clients", rounds, with_slow_ones, || per_request(&load));
    stage.site.end();
    Ok(Measured::new(figure, floor).note(format!("{slow} half-open requests")))
}

/// A connection with half a request.
fn half_open(port: u16) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"POST /ten HTTP/1.1\r\nHost: localhost\r\nContent-Le").ok()?;
    Some(stream)
}
