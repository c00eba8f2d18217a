//! `bench web-services`: the document's message at rising rates in its eight configurations, on one region, beside the published
//! figures and the floor of the same rate.

use instruments::{Cell, Shape, Table};

use super::client::Load;
use super::floor::Floor;
use super::messages::ten;
use super::proxy::{Proxy, Says};
use super::published::{self, Published};
use super::stage::{CLIENTS, Cost, Stage, cost};
use super::tls::{Tls, echoing_door};
use crate::clock::progress;
use crate::site::Workshop;

/// The word that asks for it.
pub(crate) const WORD: &str = "web-services";
const USAGE: &str = "usage: bench web-services [--rates N,N,…] [--seconds N]";
/// Messages that open connections, and do not count.
const WARM_UP: usize = CLIENTS * 4;

/// The process that ends TLS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Nobody,
    Region,
    Proxy,
}

/// One configuration: who ends TLS, what becomes of connections, and what the document measured.
pub(crate) struct Configuration(pub Ends, pub Tls, pub Published);

pub(crate) const CONFIGURATIONS: [Configuration; 8] = [
    Configuration(Ends::Nobody, Tls::Full, published::HTTP_EACH),
    Configuration(Ends::Nobody, Tls::Kept, published::HTTP_KEPT),
    Configuration(Ends::Region, Tls::Full, published::SSL_FULL),
    Configuration(Ends::Region, Tls::Resumed, published::SSL_RESUMED),
    Configuration(Ends::Region, Tls::Kept, published::SSL_KEPT),
    Configuration(Ends::Proxy, Tls::Full, published::AT_TLS_FULL),
    Configuration(Ends::Proxy, Tls::Resumed, published::AT_TLS_RESUMED),
    Configuration(Ends::Proxy, Tls::Kept, published::AT_TLS_KEPT),
];

/// The loads to be shown.
struct Shown {
    /// Messages a second, one load after the other.
    rates: Vec<u64>,
    /// Seconds of each load.
    seconds: u64,
}

impl Shown {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut shown = Self { rates: published::RATES.to_vec(), seconds: 5 };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{argument} wants something behind it"))?;
            match argument.as_str() {
                "--rates" => shown.rates = value.split(',').map(positive).collect::<Result<_, _>>()?,
                "--seconds" => shown.seconds = positive(value)?,
                other => return Err(format!("{other} is no option")),
            }
        }
        Ok(shown)
    }
}

fn positive(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("{text} is no number above zero"))
}

/// Measures and prints a table for each configuration.
pub(crate) fn show(arguments: &[String]) -> Result<(), String> {
    let shown = Shown::read(arguments).map_err(|what| format!("{what}\n{USAGE}"))?;
    let workshop = Workshop::new(1, 1)?;
    let stage = Stage::new(&workshop)?;
    println!(
        "Clients are a process of their own, {CLIENTS} at a time. CPU is the processor time of the region's process, and of the proxy's \
         where there is one,\nfor a message; floor is that of a server that sends the same bytes back.\n"
    );
    for configuration in &CONFIGURATIONS {
        println!("{}", measure(&shown, &stage, configuration)?.show(Shape::Text));
    }
    stage.site.end();
    Ok(())
}

/// The target of a load, and the processes that are counted beside this one.
struct Target {
    port: u16,
    proxy: Option<Proxy>,
}

impl Target {
    fn new(stage: &Stage, port: u16, says: Option<Says>) -> Result<Self, String> {
        let proxy = says.map(|says| Proxy::start(&stage.folder, port, says)).transpose()?;
        Ok(Self { port: proxy.as_ref().map_or(port, |proxy| proxy.port), proxy })
    }

    fn cost(&self, load: &Load) -> Cost {
        let others: Vec<u32> = self.proxy.iter().map(Proxy::pid).collect();
        cost(&Load { port: self.port, ..load.clone() }, &others)
    }
}

fn measure(shown: &Shown, stage: &Stage, configuration: &Configuration) -> Result<Table, String> {
    let Configuration(ends, tls, published) = configuration;
    let (service, floor, proxies) = match ends {
        Ends::Nobody => ("WEB", Floor::hyper()?, [None, None]),
        Ends::Region => ("WEBS", echoing_door(stage)?, [None, None]),
        Ends::Proxy => ("WEBP", Floor::hyper()?, [Some(Says::WhoTheClientIs), Some(Says::Nothing)]),
    };
    let region = Target::new(stage, stage.port(service)?, proxies[0])?;
    let bare = Target::new(stage, floor.port, proxies[1])?;
    let closes = *tls != Tls::Kept;
    let load = Load {
        clients: CLIENTS,
        request: stage.request("/ten", "text/xml; charset=utf-8", &ten(), closes)?.file,
        closes,
        authority: (*ends != Ends::Nobody).then(|| stage.authority()),
        resumes: *tls == Tls::Resumed,
        ..Load::default()
    };
    let columns = [
        ("Messages", "/s"),
        ("Response", "ms"),
        ("CPU", "% of one"),
        ("CPU", "µs"),
        ("Floor", "µs"),
        ("Ratio", ""),
        ("Published", "µs"),
        ("Published", "ms"),
    ];
    let mut table = Table::new(published.name, &columns);
    for &rate in &shown.rates {
        progress(&format!("{}: {rate} a second", published.name));
        let count = (rate * shown.seconds) as usize / CLIENTS * CLIENTS;
        let load = Load { count: count.max(CLIENTS), rate, ..load.clone() };
        let warm = Load { count: WARM_UP, rate: 0, ..load.clone() };
        let [ours, floor] = [&region, &bare].map(|target| {
            target.cost(&warm);
            target.cost(&load)
        });
        table.rows.push(row(rate, &ours, &floor, published));
    }
    progress("");
    Ok(table)
}

fn row(rate: u64, ours: &Cost, floor: &Cost, published: &Published) -> Vec<Cell> {
    let at = published::RATES.iter().position(|known| *known == rate);
    let known = |figures: [u32; 5]| at.map(|at| figures[at]);
    let response = match known(published.response) {
        Some(0) => Cell::Text("< 1".to_owned()),
        Some(figure) => Cell::Count(figure.into()),
        None => Cell::Empty,
    };
    vec![
        Cell::Count(rate),
        Cell::Number(ours.response / 1e3, 2),
        Cell::Number(ours.processor * rate as f64 / 1e4, 1),
        Cell::Number(ours.processor, 0),
        Cell::Number(floor.processor, 0),
        Cell::Number(ours.processor / floor.processor, 2),
        known(published.processor).map_or(Cell::Empty, |figure| Cell::Count(figure.into())),
        response,
    ]
}
