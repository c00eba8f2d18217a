//! The stage of a workload: a folder with its application, its region as a process of its own, and terminals in this one.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use load::report::Report;
use tempfile::TempDir;

use super::kind::{Case, Load};
use crate::authenticator::process::Process;
use crate::clock::progress;
use crate::processes::{bytes, descendants, time_of};
use crate::regions::meter::{Meter, Step};
use crate::regions::terminals::Terminals;
use crate::startup::binary;

/// The line in which a region says where terminals connect, and the one that comes when it serves.
const TERMINALS: &str = "Terminals: tn3270 ";
const SERVES: &str = "Press Ctrl-C";
/// The folder of its state.
const STATE: &str = "state";
/// The file of a key for its data.
pub(super) const KEY_FILE: &str = "load.key";

/// A region that runs a workload.
pub(super) struct Stage {
    region: Process,
    address: SocketAddr,
    folder: TempDir,
    quick: bool,
}

/// The figures of one load.
pub(super) struct Outcome {
    pub step: Step,
    /// Bytes that the region has written to its instruments in a second.
    pub traced: f64,
}

impl Stage {
    /// Writes the application of a case, and starts its region.
    pub async fn start(case: &Case, quick: bool) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder to work in: {error}"))?;
        for (name, text) in &case.files {
            write(&folder.path().join(name), text)?;
        }
        let mut command = Command::new(binary()?);
        command.arg("run").arg(folder.path()).arg("--data").arg(folder.path().join(STATE));
        let mut region = Process::start("the region", &mut command)?;
        let line = region.says(&[TERMINALS]).await?;
        let address = line.split_once(TERMINALS).and_then(|(_, rest)| rest.split_whitespace().next());
        let address = address.and_then(|word| word.parse().ok());
        let address = address.ok_or_else(|| format!("no address in: {line}"))?;
        region.says(&[SERVES]).await?;
        Ok(Self { region, address, folder, quick })
    }

    /// Has new terminals run tasks at a rate; measured for so long once they come steadily.
    pub async fn step(&self, load: &Load, terminals: usize, seconds: f64) -> Result<Outcome, String> {
        let first = Terminals::connect(&[self.address], terminals, &load.first, load.screens).await?;
        let mut terminals = first.with_input(load.input);
        let times = || self.times();
        let (before, begun) = (self.written(), std::time::Instant::now());
        let mut meter = Meter::new(&times, seconds, self.quick);
        let see = |report: &Report| {
            progress(&format!("{} a second wanted: {}", load.rate, report.line()));
            meter.see(report)
        };
        terminals.press(load.rate, see).await?;
        let written = self.written().saturating_sub(before) as f64;
        Ok(Outcome { step: meter.outcome()?, traced: written / begun.elapsed().as_secs_f64() })
    }

    /// Processor time of the region, and of the servers that it has started if there are any.
    fn times(&self) -> Result<Vec<Duration>, String> {
        let servers = descendants(self.region.id());
        let mut times = vec![self.region.processor_time()?];
        if !servers.is_empty() {
            times.push(Duration::from_secs_f64(time_of(&servers)));
        }
        Ok(times)
    }

    fn written(&self) -> u64 {
        bytes(&self.folder.path().join(STATE).join(region::RECORD_FOLDER))
    }

    /// Ends all in order.
    pub async fn end(self) -> Result<(), String> {
        self.region.end().await.map(drop)
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let mut options = fs::OpenOptions::new();
    // A region takes no key that others may read.
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}
