//! The Authenticator on one region, or on clones that share its records: the topology, the test HSM, and this process as the
//! simulated terminals.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use card::ftsc::Layout;
use card::key::Key;
use load::kind::Mix;
use load::ledger;
use load::plan::{Plan, Work};
use load::simulator::Portfolio;
use load::tracks::TrackFile;
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::meter::{AROUND, Meter, Step};
use super::topology::Topology;
use crate::authenticator::process::Process;
use crate::authenticator::stage::{self, CHANNELS_AT, CONFIGURATION, LISTENER, PATIENCE, SAMPLE};
use crate::clock::progress;
use crate::startup::binary;

/// Lines of a topology that are shown when a load fails.
const LAST_WORDS: usize = 200;
/// The folders of the application, the record server and the states.
const APPLICATION: &str = "authenticator";
const RECORDS: &str = "records";
/// Connections to the HSM, of all regions together, and the most of one.
const CHANNELS: usize = 64;
const CHANNELS_OF_ONE: usize = 32;

/// The setting to be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// One region with records of its own, or so many clones with a record server.
    pub regions: usize,
    pub accounts: usize,
    pub terminals: usize,
    /// With the Validation Log.
    pub logged: bool,
    /// Everything once and small.
    pub quick: bool,
}

/// The processes.
pub(super) struct Stage {
    topology: Topology,
    hsm: Process,
    terminals: Vec<TrackFile>,
    at: SocketAddr,
    folder: TempDir,
    setting: Setting,
    /// Messages that each terminal has sent.
    sent: usize,
}

/// The files and statistics that are left when all have ended.
pub(super) struct Ended {
    /// Files of performance records, by region.
    pub records: Vec<(String, Vec<Vec<u8>>)>,
    /// Statistics of the record server.
    pub server: Option<String>,
}

impl Stage {
    /// Starts everything; `tell` hears how far it is.
    pub async fn start(setting: Setting, mut tell: impl FnMut(&str)) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        let application = folder.path().join(APPLICATION);
        tell(&format!("{} cards are made, for {} terminals", setting.accounts, setting.terminals));
        let (hsm, hsm_address, _) = stage::start_hsm().await?;
        let at = TcpListener::bind("127.0.0.1:0").and_then(|any| any.local_addr());
        let at = at.map_err(|error| format!("no free port: {error}"))?;
        let of_sample = stage::Setting {
            accounts: setting.accounts,
            terminals: setting.terminals,
            logged: setting.logged,
            secured: false,
            monitored: true,
            counted: false,
            console: false,
        };
        let fitted = |name: &str, text| {
            fitted(name, stage::fitted(name, text, &of_sample, hsm_address), at, setting.regions)
        };
        stage::copy(Path::new(SAMPLE), &application, &fitted)?;
        let terminals = stage::make_cards(&of_sample, folder.path(), &application.join("import.txt"))?;
        tell("a region starts, and imports them");
        let mut topology = Self::topology(folder.path(), 1, setting.regions > 1).await?;
        let said = topology.says(&["AUTIMP: portfolio", "AUTIMP: after"]).await?;
        if said.contains("after") {
            return Err(format!("the cards are not imported: {said}"));
        }
        if setting.regions > 1 {
            topology.end().await?;
            tell("its clones start");
            topology = Self::topology(folder.path(), setting.regions, true).await?;
        }
        Ok(Self { topology, hsm, terminals, at, folder, setting, sent: 0 })
    }

    async fn topology(folder: &Path, clones: usize, shared: bool) -> Result<Topology, String> {
        let records = if shared { format!("[records]\nfolder = \"{RECORDS}\"\n\n") } else { String::new() };
        let text = format!(
            "{records}[[region]]\nname = \"CLONE\"\nsysid = \"CLN\"\nclones = {clones}\nfolder = \"{APPLICATION}\"\n\
             set = [\"sit.WLMHEALTH=OFF\"]\n"
        );
        fs::write(folder.join("topology.toml"), text).map_err(|error| error.to_string())?;
        Topology::start(folder).await
    }

    /// The names of its processes, in the order of a step's.
    pub fn names(&self) -> Vec<String> {
        self.topology.names().into_iter().chain([String::from("HSM")]).collect()
    }

    /// Messages at a rate; measured for so long once they come steadily.
    pub async fn step(&mut self, rate: f64, seconds: f64) -> Result<Step, String> {
        let (count, book) = (self.terminals.len() as f64, self.folder.path().join("ledger"));
        let (known, book) = ledger::open(&book).map_err(|messages| stage::told(&messages))?;
        let plan = Plan {
            target: self.at,
            terminals: self.terminals.clone(),
            first_card: self.sent,
            portfolio: Portfolio { master: Key::test(), layout: Layout::SAMPLE },
            rate: Some(format!("{rate}/{count}").parse().map_err(|error| format!("{error}"))?),
            work: Work::Messages((rate * (seconds + AROUND) / count).ceil() as u64, Mix::default()),
            back_off: true,
            persistent: false,
            patience: PATIENCE,
            seed: self.sent as u64 + 1,
            known,
        };
        let times = || -> Result<Vec<Duration>, String> {
            let mut times = self.topology.times()?;
            times.push(self.hsm.processor_time()?);
            Ok(times)
        };
        let mut meter = Meter::new(&times, seconds, self.setting.quick);
        let (done, is_done) = oneshot::channel();
        let mut done = Some(done);
        let watched = |report: &load::report::Report| {
            progress(&format!("{rate} a second wanted: {}", report.line()));
            if meter.see(report)
                && let Some(done) = done.take()
            {
                // The run has ended by itself.
                let _ = done.send(());
            }
        };
        let until = async {
            // It lives as long as the run.
            let _ = is_done.await;
        };
        let report =
            load::run(plan, book, watched, until).await.map_err(|messages| stage::told(&messages))?;
        let step = meter.outcome()?;
        self.sent += (report.finished as f64 / count).ceil() as usize;
        Ok(step)
    }

    /// Ends the topology, and gives the last lines that its processes have said.
    pub async fn last_words(self) -> Result<String, String> {
        let said = self.topology.end().await?;
        Ok(said[said.len().saturating_sub(LAST_WORDS)..].join("\n"))
    }

    /// Ends everything in order.
    pub async fn end(self) -> Result<Ended, String> {
        let folder = self.folder.path();
        let server = (self.setting.regions > 1).then(|| statistics(&folder.join(RECORDS))).transpose()?;
        self.topology.end().await?;
        self.hsm.end().await?;
        let region = |number: usize| {
            let state: PathBuf =
                folder.join("state").join(format!("clone{number}")).join(region::RECORD_FOLDER);
            Ok((format!("CLONE{number}"), stage::records(&state)?))
        };
        let records = (1..=self.setting.regions).map(region).collect::<Result<_, String>>()?;
        Ok(Ended { records, server })
    }
}

/// A file of the sample with the port that all clones share, and with each clone's part of the HSM's connections.
fn fitted(name: &str, mut text: String, at: SocketAddr, regions: usize) -> String {
    match name {
        LISTENER => text.replace("PORT=0", &format!("PORT={}", at.port())),
        CONFIGURATION => {
            let channels = (CHANNELS / regions).clamp(1, CHANNELS_OF_ONE);
            text.replace_range(CHANNELS_AT, &format!("{channels:02}"));
            text
        }
        _ => text,
    }
}

/// The statistics of a record server that runs.
fn statistics(folder: &Path) -> Result<String, String> {
    let output = Command::new(binary()?).arg("records").arg(folder).arg("--status").output();
    let output = output.map_err(|error| format!("the record server does not say how it is: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
