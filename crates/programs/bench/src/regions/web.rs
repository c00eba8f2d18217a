//! Web services whose pipeline is in a routing region and whose program is in an application region: the document's own topology,
//! in its eight configurations, with what the document's regions recorded and checked, and without; and a region that asks it by INVOKE SERVICE.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use instruments::{Cell, Shape, Table};
use tempfile::TempDir;

use super::topology::Topology;
use super::{arguments, page};
use crate::Options;
use crate::authenticator::run;
use crate::authenticator::stage::{MONITORED, SIT};
use crate::clock::{in_turns, median, processor_time, progress};
use crate::processes::time_of;
use crate::promise::Measured;
use crate::site::Site;
use crate::web::bare;
use crate::web::client::Load;
use crate::web::messages::ten;
use crate::web::proxy::{Proxy, Says};
use crate::web::published::{self, Published};
use crate::web::rates::{CONFIGURATIONS, Configuration, Ends};
use crate::web::stage::{CLIENTS, certificate, sent_by_clients, write_request};
use crate::web::tls::Tls;

/// The word that asks for it.
pub(crate) const WORD: &str = "web-routed";
const USAGE: &str = "usage: bench web-routed [--rates N,N,…] [--seconds N] [--quick] [--out PAGE.md]";
/// Messages that open connections, and do not count.
const WARM_UP: usize = CLIENTS * 4;
/// Messages of a round of the rows, and the rounds of which the median is taken.
const MESSAGES: usize = 20_000;
const ROUNDS: usize = 5;
/// The transaction of the region that asks.
const ASKS: &str = "TENA";

const SERVICES: [&str; 3] = ["WEB", "WEBS", "WEBP"];

/// The files of each region, by its folder; `{…}` is filled in.
const ROUTING: [(&str, &str); 4] = [
    ("routing/region.toml", include_str!("../../programs/echo/routing.toml")),
    ("routing/routing.csd", include_str!("../../programs/echo/routing.csd")),
    ("routing/soap.xml", include_str!("../../programs/soap.xml")),
    ("routing/programs/README", "Programs of this region.\n"),
];
const ROUTED: [(&str, &str); 5] = [
    ("topology.toml", include_str!("../../programs/echo/topology.toml")),
    ("routing/program.csd", include_str!("../../programs/echo/program-there.csd")),
    ("application/region.toml", include_str!("../../programs/echo/application.toml")),
    ("application/application.csd", include_str!("../../programs/echo/application.csd")),
    ("application/TENECHO.cbl", include_str!("../../programs/echo/tenecho.cbl")),
];
const ALONE: [(&str, &str); 3] = [
    ("topology.toml", include_str!("../../programs/echo/alone.toml")),
    ("routing/program.csd", include_str!("../../programs/echo/program-here.csd")),
    ("routing/programs/TENECHO.cbl", include_str!("../../programs/echo/tenecho.cbl")),
];
const REQUESTER: [(&str, &str); 3] = [
    ("requester/requester.csd", include_str!("../../programs/echo/requester.csd")),
    ("requester/requester.xml", include_str!("../../programs/echo/requester.xml")),
    ("requester/TENASK.cbl", include_str!("../../programs/echo/tenask.cbl")),
];
/// Lines of `[sit]` with which a region checks who begins a transaction.
const CHECKED: &str = "SEC = \"YES\"\nXTRAN = \"YES\"\n";
/// The right of everybody to begin a transaction, where that is checked.
const RIGHTS: &str = "[[profile]]\nclass = \"XTRAN\"\nname = \"*\"\nuacc = \"READ\"\n";
const COPYBOOK: &str = include_str!("../../programs/ten.cpy");

/// The binding of the service, with the options of one side.
fn binding(options: &str) -> String {
    format!(
        "format = 1\norigin = \"copybook\"\noptions = \"\"\"\n{options}OPERATION-NAME=call\nREQUEST-NAMESPACE=urn:b\n\
         RESPONSE-NAMESPACE=urn:b\n\"\"\"\n[description]\nname = \"TEN.cpy\"\ntext = \"\"\"\n{COPYBOOK}\"\"\"\n"
    )
}

/// Records and checks of the regions beside their work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// The document's: performance data of each task, and the right to begin a transaction. Internal trace is always on.
    AsPublished,
}

impl Beside {
    /// The heading of its tables.
    fn heading(self) -> &'static str {
        match self {
            Self::Nothing => "No performance data, no security",
            Self::AsPublished => "As published: MN, MNPER, SEC and XTRAN on",
        }
    }

    /// The configuration of a region that has it.
    fn fitted(self, name: &str, text: &str) -> String {
        match self {
            Self::AsPublished if name.ends_with("region.toml") => {
                text.replace(SIT, &[SIT, MONITORED, CHECKED].concat())
            }
            _ => text.to_owned(),
        }
    }
}

/// A topology with the service, and the folder of certificate and requests.
pub(super) struct Stage {
    topology: Topology,
    ports: [u16; 3],
    folder: TempDir,
}

impl Stage {
    /// Starts a routing and an application region, or one region with both.
    pub async fn start(routed: bool, beside: Beside) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        let mut ports = [0; 3];
        for port in &mut ports {
            *port = free()?;
        }
        let fitted = |text: &str| {
            SERVICES.iter().zip(ports).fold(text.to_owned(), |text, (name, port)| {
                text.replace(&format!("{{{name}}}"), &format!("0.0.0.0:{port}"))
            })
        };
        let own: &[(&str, &str)] = if routed { &ROUTED } else { &ALONE };
        for (name, text) in ROUTING.iter().chain(own) {
            write(folder.path(), name, &beside.fitted(name, &fitted(text)))?;
        }
        if beside == Beside::AsPublished {
            write(folder.path(), "routing/security.toml", RIGHTS)?;
            write(folder.path(), "application/security.toml", RIGHTS)?;
        }
        let service = "PGMNAME=TENECHO\nPGMINT=CHANNEL\nCONTID=DFHWS-DATA\nURI=/ten\n";
        write(folder.path(), "routing/ten.wsbind", &binding(service))?;
        let keyring = folder.path().join("routing/keyring");
        fs::create_dir_all(&keyring).map_err(|error| error.to_string())?;
        certificate(&keyring)?;
        let topology = Topology::start(folder.path()).await?;
        Ok(Self { topology, ports, folder })
    }

    fn port(&self, service: &str) -> u16 {
        SERVICES.iter().zip(self.ports).find(|(name, _)| **name == service).map_or(0, |(_, port)| port)
    }

    fn keyring(&self) -> PathBuf {
        self.folder.path().join("routing/keyring")
    }

    /// The load of the document's request in a configuration; the port has to be said.
    fn load(&self, ends: Ends, tls: Tls) -> Result<Load, String> {
        let closes = tls != Tls::Kept;
        let request = write_request(&self.keyring(), "/ten", "text/xml; charset=utf-8", &ten(), closes)?;
        let authority = (ends != Ends::Nobody).then(|| self.keyring().join("door.pem"));
        Ok(Load {
            clients: CLIENTS,
            request: request.file,
            closes,
            authority,
            resumes: tls == Tls::Resumed,
            ..Load::default()
        })
    }

    /// Microseconds of each process for a message, the proxy's at the end if there is one; the mean response in microseconds.
    fn cost(&self, load: &Load, proxy: Option<&Proxy>) -> Result<(Vec<f64>, f64), String> {
        let of_proxy: Vec<u32> = proxy.iter().map(|proxy| proxy.pid()).collect();
        let now = || -> Result<Vec<f64>, String> {
            let mut times: Vec<f64> = self.topology.times()?.iter().map(Duration::as_secs_f64).collect();
            times.extend(proxy.map(|_| time_of(&of_proxy)));
            Ok(times)
        };
        let before = now()?;
        let response = sent_by_clients(load)?;
        let each = |(after, before): (f64, &f64)| (after - before) * 1e6 / load.count as f64;
        Ok((now()?.into_iter().zip(&before).map(each).collect(), response))
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    fs::write(&path, text).map_err(failed)
}

fn free() -> Result<u16, String> {
    let any = TcpListener::bind("127.0.0.1:0").and_then(|any| any.local_addr());
    any.map(|at| at.port()).map_err(|error| format!("no free port: {error}"))
}

/// The document's request through a routing region, beside one region that has pipeline and program; all processes count.
pub(crate) fn routed(options: &Options) -> Result<Measured, String> {
    run(async {
        progress("soap-routed: regions start");
        let (routed, alone) =
            (Stage::start(true, Beside::Nothing).await?, Stage::start(false, Beside::Nothing).await?);
        let count = options.size(MESSAGES, CLIENTS * 2);
        let measure = |stage: &Stage| -> Result<Vec<f64>, String> {
            let load = Load { port: stage.port("WEB"), count, ..stage.load(Ends::Nobody, Tls::Kept)? };
            Ok(stage.cost(&load, None)?.0)
        };
        let (mut figures, mut floors, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=options.size(ROUNDS, 1) {
            progress(&format!("soap-routed: round {round}"));
            let (two, one) = (measure(&routed)?, measure(&alone)?);
            // The first one warms up.
            if round > 0 {
                figures.push(two.iter().sum());
                floors.push(one.iter().sum());
                parts = two;
            }
        }
        let names = routed.topology.names();
        let parts: Vec<_> = names.iter().zip(parts).map(|(name, us)| format!("{name} {us:.1}")).collect();
        routed.topology.end().await?;
        alone.topology.end().await?;
        Ok(Measured::new(median(figures), median(floors)).note(format!("us: {}", parts.join(", "))))
    })
}

/// A region that asks a service of another process.
struct Requester {
    site: Site,
    _folder: TempDir,
}

impl Requester {
    fn start(port: u16) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        for (name, text) in REQUESTER {
            write(folder.path(), name, &text.replace("{PORT}", &port.to_string()))?;
        }
        write(folder.path(), "requester/ten.wsbind", &binding(""))?;
        let text = include_str!("../../programs/echo/requester.toml");
        let site = crate::log::quietly(|| Site::of_folder(&folder.path().join("requester"), text, 1))?;
        Ok(Self { site, _folder: folder })
    }

    /// So many tasks at a time, each of which asks so often.
    fn ask(&self, tasks: usize, times: usize) {
        (0..tasks).for_each(|_| self.site.attach(ASKS, Some(format!("{times:08}").as_bytes())));
        self.site.idle();
    }
}

/// INVOKE SERVICE beside a bare hyper client that sends and reads the same bytes: the processor time of the one that asks.
pub(crate) fn invoke(options: &Options) -> Result<Measured, String> {
    let stage = run(Stage::start(false, Beside::Nothing))?;
    let requester = Requester::start(stage.port("WEB"))?;
    let mut client = bare::Client::new(stage.port("WEB"), "/ten", "text/xml; charset=utf-8", ten())?;
    let times = options.size(MESSAGES / CLIENTS, 2);
    let each = 1e6 / (times * CLIENTS) as f64;
    let spent = |work: &mut dyn FnMut()| {
        let before = processor_time();
        work();
        (processor_time() - before) * each
    };
    let (figure, floor) = in_turns(
        "invoke-service",
        options.size(ROUNDS, 1),
        || spent(&mut || requester.ask(CLIENTS, times)),
        || spent(&mut || client.ask(CLIENTS, times)),
    );
    requester.site.end();
    run(async { stage.topology.end().await.map(drop) })?;
    Ok(Measured::new(figure, floor).note(format!("{CLIENTS} tasks at a time, on kept connections")))
}

/// The loads to be shown.
struct Shown {
    rates: Vec<u64>,
    seconds: u64,
    quick: bool,
    out: Option<PathBuf>,
}

impl Shown {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut shown = Self { rates: published::RATES.to_vec(), seconds: 5, quick: false, out: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants something behind it"));
            match word.as_str() {
                "--rates" => shown.rates = arguments::list(value()?)?,
                "--seconds" => shown.seconds = arguments::positive(value()?)?,
                "--quick" => shown.quick = true,
                "--out" => shown.out = Some(value()?.into()),
                other => return Err(format!("{other} is no option")),
            }
        }
        Ok(shown)
    }
}

/// Measures, prints the tables, and writes them where they belong.
pub(crate) fn show(words: &[String]) -> Result<(), String> {
    let shown = Shown::read(words).map_err(|what| format!("{what}\n{USAGE}"))?;
    let mut text = format!(
        "{}Clients are a process of their own, {CLIENTS} at a time; each rate follows a load that opens connections and does not count, \
         and takes {} seconds. Processor time is that of a message.\n",
        arguments::machine(),
        shown.seconds,
    );
    for beside in [Beside::Nothing, Beside::AsPublished] {
        let tables = tables(&shown, beside)?;
        text.push_str(&format!("\n{}:\n\n```text\n{}```\n", beside.heading(), tables.join("\n")));
    }
    println!("{text}");
    shown.out.as_ref().map_or(Ok(()), |out| page::write(out, WORD, &text))
}

/// The tables of all configurations, and of a region that asks.
fn tables(shown: &Shown, beside: Beside) -> Result<Vec<String>, String> {
    let stage = run(Stage::start(true, beside))?;
    let mut tables = Vec::new();
    for configuration in &CONFIGURATIONS {
        tables.push(table(shown, &stage, configuration)?.show(Shape::Text));
    }
    tables.push(by_a_region(shown, &stage)?.show(Shape::Text));
    run(async { stage.topology.end().await.map(drop) })?;
    Ok(tables)
}

fn table(
    shown: &Shown,
    stage: &Stage,
    Configuration(ends, tls, published): &Configuration,
) -> Result<Table, String> {
    let (service, says) = match ends {
        Ends::Nobody => ("WEB", None),
        Ends::Region => ("WEBS", None),
        Ends::Proxy => ("WEBP", Some(Says::WhoTheClientIs)),
    };
    let proxy = says.map(|says| Proxy::start(&stage.keyring(), stage.port(service), says)).transpose()?;
    let port = proxy.as_ref().map_or(stage.port(service), |proxy| proxy.port);
    let load = Load { port, ..stage.load(*ends, *tls)? };
    let mut columns = vec![("Messages", "/s"), ("Response", "ms")];
    columns.extend(stage.topology.names().iter().map(|name| (arguments::heading(name), "µs")));
    columns.extend(proxy.as_ref().map(|_| ("Proxy", "µs")));
    columns.extend([("All", "µs"), ("All", "% of one"), ("Published", "µs"), ("Published", "ms")]);
    let mut table = Table::new(published.name, &columns);
    for &rate in &shown.rates {
        progress(&format!("{}: {rate} a second", published.name));
        let count = (rate * shown.seconds) as usize / CLIENTS * CLIENTS;
        let load = Load { count: count.max(CLIENTS), rate, ..load.clone() };
        stage.cost(
            &Load { count: if shown.quick { CLIENTS } else { WARM_UP }, rate: 0, ..load.clone() },
            proxy.as_ref(),
        )?;
        let (parts, response) = stage.cost(&load, proxy.as_ref())?;
        table.rows.push(row(rate, &parts, response, published));
    }
    progress("");
    Ok(table)
}

fn row(rate: u64, parts: &[f64], response: f64, published: &Published) -> Vec<Cell> {
    let at = published::RATES.iter().position(|known| *known == rate);
    let known = |figures: [u32; 5]| at.map(|at| figures[at]);
    let all: f64 = parts.iter().sum();
    let mut row = vec![Cell::Count(rate), Cell::Number(response / 1e3, 2)];
    row.extend(parts.iter().map(|us| Cell::Number(*us, 1)));
    row.extend([
        Cell::Number(all, 1),
        Cell::Number(all * rate as f64 / 1e4, 1),
        known(published.processor).map_or(Cell::Empty, |figure| Cell::Count(figure.into())),
        match known(published.response) {
            Some(0) => Cell::Text(String::from("< 1")),
            Some(figure) => Cell::Count(figure.into()),
            None => Cell::Empty,
        },
    ]);
    row
}

/// The same service asked by a region, by INVOKE SERVICE on kept connections, as fast as its tasks go.
fn by_a_region(shown: &Shown, stage: &Stage) -> Result<Table, String> {
    let requester = Requester::start(stage.port("WEB"))?;
    let mut columns = vec![("Tasks", ""), ("Messages", "/s")];
    columns.extend(stage.topology.names().iter().map(|name| (arguments::heading(name), "µs")));
    columns.push(("Region that asks", "µs"));
    let mut table = Table::new("HTTP, kept connections, INVOKE SERVICE of a region", &columns);
    let times = if shown.quick { 2 } else { MESSAGES / CLIENTS };
    for tasks in [1, 4, CLIENTS] {
        progress(&format!("INVOKE SERVICE of {tasks} tasks"));
        requester.ask(tasks, times.min(20));
        let (begun, before, own) = (std::time::Instant::now(), stage.topology.times()?, processor_time());
        requester.ask(tasks, times);
        let messages = (tasks * times) as f64;
        let (seconds, own) = (begun.elapsed().as_secs_f64(), processor_time() - own);
        let used = stage.topology.times()?.into_iter().zip(before);
        let used = used.map(|(now, then)| now.saturating_sub(then).as_secs_f64());
        let us = |seconds: f64| Cell::Number(seconds * 1e6 / messages, 1);
        let mut row = vec![Cell::Count(tasks as u64), Cell::Number(messages / seconds, 0)];
        row.extend(used.map(us));
        row.push(us(own));
        table.rows.push(row);
    }
    progress("");
    requester.site.end();
    Ok(table)
}
