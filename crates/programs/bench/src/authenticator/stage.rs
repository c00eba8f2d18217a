//! The stage on which the Authenticator is measured: a copy of the sample in a folder of its own, the test HSM, the
//! region, the bare server, each a process, on ports that were free; and this process as the load client.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use card::ftsc::Layout;
use card::key::Key;
use diagnostics::Diagnostic;
use load::kind::Mix;
use load::ledger;
use load::plan::{Plan, Work};
use load::report::Report;
use load::simulator::Portfolio;
use load::tracks::{self, TERMINALS_MAX, TrackFile};
use tempfile::TempDir;

use super::bare;
use super::process::Process;
use crate::site::{EVERYTHING, PROFILES};
use crate::startup::{beside, binary};
use crate::valgrind;

/// The sample.
pub(crate) const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../samples/authenticator");
/// The folder that a region leaves in it.
const LEFT: &str = ".syncpoint";
/// The folder of the state of this one's region.
pub(crate) const STATE: &str = "state";
/// Its files that name ports, or say what is to be measured.
pub(crate) const LISTENER: &str = "sockets/listener.txt";
pub(crate) const CONFIGURATION: &str = "data/config.txt";
const REGION: &str = "region.toml";
/// The texts in them that are replaced.
const LISTENER_PORT: &str = "PORT=7200";
const HSM_PORT: &str = "01500";
const LOG_OFF: &str = "CONFIG  N";
const LOG_ON: &str = "CONFIG  Y";
/// The place in the Configuration record of the switch for connections of one request.
const KEEP_SWITCH_AT: usize = 129;
/// The place of the number of channels in it, and the number here: half of what an HSM takes. With the sample's eight
/// the wait for one is what keeps the rate down.
pub(crate) const CHANNELS_AT: std::ops::Range<usize> = 42..44;
const CHANNELS: &str = "32";
/// The head of the section.
pub(crate) const SIT: &str = "[sit]\n";
/// Lines of `[sit]` with which a region records performance data of each task.
pub(crate) const MONITORED: &str = "MN = \"ON\"\nMNPER = \"ON\"\n";
const SECURED: &str = "SEC = \"YES\"\nCMDSEC = \"ALWAYS\"\nRESSEC = \"ALWAYS\"\n";
const FREE_PORT: &str = "\n[listen]\ntn3270 = [\"127.0.0.1:0\"]\n";
const CONSOLE: &str = "\n[console]\nlisten = \"127.0.0.1:0\"\n";
/// The users of a region with a console: the file of the sample bank.
const USERS_FILE: &str = "users.toml";
const USERS: &str = include_str!("../../../../../samples/bank/users.toml");
/// The text with which a region tells where its console is.
const CONSOLE_AT: &str = "the console is at http://";

/// The prefix of the files of performance records.
const PERFORMANCE: &str = "performance-";
/// The longest wait of a terminal for its answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// The part of a wanted rate that must come about: else the machine cannot hold it.
pub(crate) const HELD: f64 = 0.95;

/// The setting to be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Customer accounts.
    pub accounts: usize,
    /// Simulated terminals.
    pub terminals: usize,
    /// With the Validation Log.
    pub logged: bool,
    /// With everything checked that can be.
    pub secured: bool,
    /// With performance records.
    pub monitored: bool,
    /// With its instructions counted, which it says at its end.
    pub counted: bool,
    /// With a console, and a user who may look at it.
    pub console: bool,
}

/// The process that authenticates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    /// The Authenticator in its region.
    Region,
    /// The same work on sockets alone.
    Bare,
}

impl Whom {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Region => "region",
            Self::Bare => "bare server",
        }
    }
}

/// The processes.
pub(crate) struct Stage {
    region: Server,
    bare: Server,
    hsm: Process,
    terminals: Vec<TrackFile>,
    folder: TempDir,
}

/// A server that authenticates cards.
struct Server {
    process: Process,
    address: SocketAddr,
    ledger: PathBuf,
    /// Messages that each terminal has sent.
    sent: u64,
}

/// The files and output of a region that has ended.
pub(crate) struct Ended {
    /// Whatever it has said.
    pub said: Vec<String>,
    /// Files of performance records.
    pub records: Vec<Vec<u8>>,
}

/// The outcome of a load. Processor times are for each message.
pub(crate) struct Outcome {
    /// Messages a second.
    pub rate: f64,
    /// Of the process that authenticated.
    pub server: Duration,
    /// Of the HSM.
    pub hsm: Duration,
    /// Of the simulated terminals.
    pub client: Duration,
    /// The report of the terminals.
    pub report: Report,
}

impl Stage {
    /// Starts everything; `tell` hears how far it is.
    pub async fn start(setting: &Setting, mut tell: impl FnMut(&str)) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        let application = folder.path().join("authenticator");
        tell(&format!("{} cards are made, for {} terminals", setting.accounts, setting.terminals));
        let (hsm, hsm_address, key) = start_hsm().await?;
        copy(Path::new(SAMPLE), &application, &|name, text| fitted(name, text, setting, hsm_address))?;
        let terminals = make_cards(setting, folder.path(), &application.join("import.txt"))?;
        let mut bare = this(bare::WORD)?;
        let mut bare = Process::start("the bare server", bare.arg(hsm_address.to_string()).arg(key))?;
        let address = address_in(&bare.says(&[bare::LISTENS]).await?)?;
        let bare = Server::new(bare, address, folder.path().join("bare.ledger"));
        if setting.secured {
            fs::write(application.join(PROFILES), EVERYTHING).map_err(|error| error.to_string())?;
        }
        if setting.console {
            fs::write(application.join(USERS_FILE), USERS).map_err(|error| error.to_string())?;
        }
        tell("the region starts, and imports them");
        let mut region = match setting.counted {
            true => valgrind::command(&binary()?),
            false => Command::new(binary()?),
        };
        region.arg("run").arg(&application).arg("--data").arg(folder.path().join(STATE));
        let (region, address) = start_region(&mut region, &mut tell).await?;
        let region = Server::new(region, address, folder.path().join("region.ledger"));
        Ok(Self { region, bare, hsm, terminals, folder })
    }

    /// Sends messages to one of both for about so long at a rate.
    pub async fn load(
        &mut self,
        whom: Whom,
        rate: f64,
        seconds: f64,
        progress: impl FnMut(&Report),
    ) -> Result<Outcome, String> {
        let count = self.terminals.len() as f64;
        let messages = (rate * seconds / count).ceil() as u64;
        let (terminals, hsm) = (self.terminals.clone(), self.hsm.processor_time()?);
        let server = match whom {
            Whom::Region => &mut self.region,
            Whom::Bare => &mut self.bare,
        };
        let (known, book) = ledger::open(&server.ledger).map_err(|messages| told(&messages))?;
        let each = format!("{rate}/{count}").parse().map_err(|error| format!("{error}"))?;
        let plan = Plan {
            target: server.address,
            terminals,
            first_card: server.sent as usize,
            portfolio: Portfolio { master: Key::test(), layout: Layout::SAMPLE },
            rate: Some(each),
            work: Work::Messages(messages, Mix::default()),
            back_off: true,
            persistent: false,
            patience: PATIENCE,
            seed: server.sent + 1,
            known,
        };
        server.sent += messages;
        let before = server.process.processor_time()?;
        let report = load::run(plan, book, progress, std::future::pending()).await;
        let report = report.map_err(|messages| told(&messages))?;
        let used = server.process.processor_time()?.saturating_sub(before);
        let finished = u32::try_from(report.finished).unwrap_or(u32::MAX).max(1);
        if report.unexpected() > 0 || report.finished < report.planned {
            return Err(format!("not every card was told to be authentic:\n{report}"));
        }
        Ok(Outcome {
            rate: report.rate(),
            server: used / finished,
            hsm: self.hsm.processor_time()?.saturating_sub(hsm) / finished,
            client: report.processor / finished,
            report,
        })
    }

    /// The address of the region's console.
    pub async fn console(&mut self) -> Result<SocketAddr, String> {
        let line = self.region.process.has_said(CONSOLE_AT).await?;
        let address = line.split_once(CONSOLE_AT).and_then(|(_, rest)| rest.trim().parse().ok());
        address.ok_or_else(|| format!("no address in: {line}"))
    }

    /// Ends everything in order.
    pub async fn end(self) -> Result<Ended, String> {
        let said = self.region.process.end().await?;
        self.hsm.end().await?;
        let records = records(&self.folder.path().join(STATE).join(region::RECORD_FOLDER))?;
        Ok(Ended { said, records })
    }
}

impl Server {
    fn new(process: Process, address: SocketAddr, ledger: PathBuf) -> Self {
        Self { process, address, ledger, sent: 0 }
    }
}

impl Outcome {
    /// Returns true if the machine kept the rate that was wanted.
    pub fn held(&self) -> bool {
        self.report.wanted_rate.is_none_or(|wanted| self.rate >= wanted * HELD)
    }

    /// The part of one processor that the authenticating process took, in percent.
    pub fn percent(&self) -> f64 {
        self.server.as_secs_f64() * self.rate * 100.0
    }

    /// Microseconds of processor time of the authenticating process, for a message.
    pub fn server_us(&self) -> f64 {
        self.server.as_secs_f64() * 1e6
    }
}

/// The program with cards and a security module, beside this one.
fn cards_program(word: &str) -> Result<Command, String> {
    let mut command = Command::new(beside("syncpoint-cards")?);
    command.arg(word);
    Ok(command)
}

/// This program once more.
fn this(word: &str) -> Result<Command, String> {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.arg(word);
    Ok(command)
}

/// Its process, its address, and the cryptogram of the portfolio's master key.
pub(crate) async fn start_hsm() -> Result<(Process, SocketAddr, String), String> {
    let mut hsm = Process::start("the HSM", cards_program("hsm")?.args(["--listen", "127.0.0.1:0"]))?;
    let address = address_in(&hsm.says(&["The HSM listens on "]).await?)?;
    let key = hsm.says(&["Portfolio master key"]).await?;
    let key = key.rsplit(' ').next().unwrap_or_default().to_owned();
    Ok((hsm, address, key))
}

/// Its process and the address of its listener, once the accounts are imported and all programs are in place.
async fn start_region(
    command: &mut Command,
    tell: &mut impl FnMut(&str),
) -> Result<(Process, SocketAddr), String> {
    let mut region = Process::start("the region", command)?;
    const LISTENS: &str = "listens on port ";
    let line = region.says(&[LISTENS]).await?;
    let port = line.split_once(LISTENS).and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
    let port: u16 = port.ok_or_else(|| format!("no port in: {line}"))?;
    loop {
        let line = region.says(&["AUTIMP: "]).await?;
        let word = line.split_once("AUTIMP: ").map_or("", |(_, word)| word.trim());
        tell(word.trim_start_matches('0'));
        if word.starts_with("portfolio") {
            return Ok((region, SocketAddr::from(([127, 0, 0, 1], port))));
        }
        if word.starts_with("after") {
            return Err(format!("the cards are not imported: {word}"));
        }
    }
}

/// The address in a line such as `… listens on 127.0.0.1:1500; …`.
fn address_in(line: &str) -> Result<SocketAddr, String> {
    let words = line.split([' ', ';']);
    words.filter_map(|word| word.parse().ok()).next().ok_or_else(|| format!("no address in: {line}"))
}

/// Cards for the terminals, and the batch for the region.
pub(crate) fn make_cards(setting: &Setting, folder: &Path, batch: &Path) -> Result<Vec<TrackFile>, String> {
    let tracks = folder.join("tracks");
    let mut command = cards_program("cards")?;
    command.arg(&tracks).arg("--batch").arg(batch);
    command.args(["--cards", &setting.accounts.to_string(), "--terminals", &setting.terminals.to_string()]);
    let made = command.output().map_err(|error| format!("no cards: {error}"))?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned());
    }
    tracks::read(&tracks, TERMINALS_MAX).map_err(|messages| told(&messages))
}

/// The files of performance records in a folder; a region that kept none has none.
pub(crate) fn records(folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(PERFORMANCE) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.iter().map(fs::read).collect::<Result<_, _>>().map_err(failed)
}

/// Copies a folder, file by file as it should be here. Files that a region has left there are not copied.
pub(crate) fn copy(from: &Path, to: &Path, fitted: &impl Fn(&str, String) -> String) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be copied: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == LEFT {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target, fitted)?;
            continue;
        }
        let name = path.strip_prefix(SAMPLE).unwrap_or(&path).to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(failed)?;
        fs::write(&target, fitted(&name, text)).map_err(failed)?;
    }
    Ok(())
}

/// A file of the sample with the ports that are free here, and with what is to be measured.
pub(crate) fn fitted(name: &str, text: String, setting: &Setting, hsm: SocketAddr) -> String {
    match name {
        LISTENER => text.replace(LISTENER_PORT, "PORT=0"),
        CONFIGURATION => {
            let log = if setting.logged { LOG_ON } else { LOG_OFF };
            let mut text = text.replace(LOG_OFF, log).replace(HSM_PORT, &format!("{:05}", hsm.port()));
            text.replace_range(CHANNELS_AT, CHANNELS);
            text.replace_range(KEEP_SWITCH_AT..=KEEP_SWITCH_AT, "N");
            text
        }
        REGION => {
            let switches = [(setting.monitored, MONITORED), (setting.secured, SECURED)];
            let on = switches.into_iter().filter(|(is_on, _)| *is_on).map(|(_, lines)| lines);
            let console = if setting.console { CONSOLE } else { "" };
            text.replace(SIT, &[SIT].into_iter().chain(on).collect::<String>()) + FREE_PORT + console
        }
        _ => text,
    }
}

pub(crate) fn told(messages: &[Diagnostic]) -> String {
    messages.iter().map(|message| message.render(false)).collect::<Vec<_>>().join("\n")
}
