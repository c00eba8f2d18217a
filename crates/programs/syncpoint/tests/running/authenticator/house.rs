//! The sample Authenticator under test: test HSMs, a copy of the sample with cards of its own, simulated terminals.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use diagnostics::Source;
use load::ledger::Ledger;
use tempfile::TempDir;

use crate::house::{FREE_PORT, PATIENCE, Region, share_programs, signal};

/// The setting of the sample's listener port.
const LISTENER_PORT: &str = "PORT=7200";
/// The time for which it waits for a client to send something.
const LISTENER_SILENCE: &str = "REATIME=5";
/// Before the port that the listener has got.
const LISTENS: &str = "listener CSKL listens on port ";
/// Seconds that terminals wait where thousands of them are served at once.
pub const LONG: &str = "120";
/// The ledger of all runs.
const LEDGER: &str = "ledger";

/// The program that makes cards, uses them and plays the security module.
const CARDS: &str = env!("CARGO_BIN_EXE_syncpoint-cards");
const SYNCPOINT: &str = env!("CARGO_BIN_EXE_syncpoint");

/// Runs a program in a folder.
fn command(program: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command
}

/// A test HSM. It is killed when it goes out of scope.
pub struct Hsm {
    child: Child,
    port: u16,
}

impl Hsm {
    /// A new one on a free port, that behaves as the options say.
    pub fn start(options: &[&str]) -> Self {
        Self::listening(0, options)
    }

    /// A new one where this one was.
    pub fn again(&self) -> Self {
        Self::listening(self.port, &[])
    }

    fn listening(port: u16, options: &[&str]) -> Self {
        let listen = format!("127.0.0.1:{port}");
        let mut command = command(CARDS, Path::new("."), &["hsm", "--listen", &listen]);
        let mut child = command.args(options).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut first).expect("a line");
        let port = first.split([' ', ';']).find_map(|word| word.strip_prefix("127.0.0.1:")?.parse().ok());
        Self { child, port: port.unwrap_or_else(|| panic!("no port in {first:?}")) }
    }

    /// Returns its name in a health display.
    pub fn shown(&self) -> String {
        format!("127.0.0.1      :{:05}", self.port)
    }

    /// Sends it a signal, by its name without SIG.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }
}

impl Drop for Hsm {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The configuration of an issuer.
pub struct Wanted<'a> {
    /// Its HSMs.
    pub hsms: &'a [&'a Hsm],
    /// Channels to them.
    pub channels: usize,
    /// Seconds that an HSM may take to answer.
    pub hsm_seconds: usize,
    /// Seconds that a client may say nothing.
    pub client_seconds: usize,
    /// True if the Validation Log is on.
    pub log: bool,
    /// Cards in all.
    pub cards: usize,
    /// Terminals that have them.
    pub terminals: usize,
}

impl<'a> Wanted<'a> {
    /// A small issuer.
    pub fn with(hsms: &'a [&'a Hsm]) -> Self {
        Self { hsms, channels: 8, hsm_seconds: 2, client_seconds: 5, log: false, cards: 40, terminals: 4 }
    }

    /// The Configuration record; the key-encrypting key is the sample's.
    fn configuration(&self, sample: &str) -> String {
        const KEY: std::ops::Range<usize> = 9..42;
        const LENGTH: usize = 240;
        let log = if self.log { 'Y' } else { 'N' };
        let hsms: String = self.hsms.iter().map(|hsm| format!("{:15}{:05}", "127.0.0.1", hsm.port)).collect();
        let record = format!(
            "CONFIG  {log}{}{:02}{:02}{:02}{}{hsms}",
            &sample[KEY],
            self.channels,
            self.hsm_seconds,
            self.client_seconds,
            self.hsms.len(),
        );
        format!("{record:LENGTH$}\n")
    }
}

/// A copy of the sample, its cards and what is known of their counters.
pub struct Issuer {
    folder: TempDir,
}

impl Issuer {
    /// Makes copy and cards.
    pub fn new(wanted: &Wanted) -> Self {
        let issuer = Self { folder: tempfile::tempdir().expect("a folder") };
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/authenticator");
        copy(&sample, &issuer.application(), wanted);
        share_programs(&issuer.application(), "authenticator-programs");
        let (cards, terminals) = (wanted.cards.to_string(), wanted.terminals.to_string());
        let cards = ["cards", "tracks", "--cards", &cards, "--terminals", &terminals];
        issuer.told(&[&cards[..], &["--batch", "application/import.txt"]].concat());
        issuer
    }

    /// The folder of all.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of the copy.
    pub fn application(&self) -> PathBuf {
        self.folder.path().join("application")
    }

    /// The folder of track files.
    pub fn tracks(&self) -> PathBuf {
        self.folder.path().join("tracks")
    }

    /// Runs `syncpoint-cards`, which must succeed; returns its output.
    pub fn told(&self, arguments: &[&str]) -> String {
        self.said(CARDS, arguments)
    }

    /// Runs `syncpoint report`, which must succeed; returns its output.
    pub fn report(&self, arguments: &[&str]) -> String {
        self.said(SYNCPOINT, &[&["report"], arguments].concat())
    }

    fn said(&self, program: &str, arguments: &[&str]) -> String {
        let output = command(program, self.folder.path(), arguments).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Starts the region; it listens when this returns, and has imported the cards.
    pub fn open(&self) -> Service {
        let imported = self.application().join(".syncpoint/import-report.txt");
        let first = !imported.exists();
        let region = Region::start(&self.application());
        if first {
            region.logs("portfolio P001: 0");
        }
        let port = region.logged(LISTENS).parse().expect("a port");
        Service { region, port }
    }

    /// Starts terminals that send to a region, and keep the ledger.
    pub fn load(&self, service: &Service, options: &[&str]) -> Load {
        self.load_at(service.port, options)
    }

    /// Starts terminals that send to a port, and keep the ledger.
    pub fn load_at(&self, port: u16, options: &[&str]) -> Load {
        let target = format!("127.0.0.1:{port}");
        let arguments = ["load", &target, "--tracks", "tracks", "--ledger", LEDGER];
        let mut command = command(CARDS, self.folder.path(), &[&arguments, options].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        Load { child, ledger: self.folder.path().join(LEDGER) }
    }

    /// Sends again what was accepted: none of it may be accepted once more.
    pub fn replay(&self, service: &Service) {
        let (output, said) = self.load(service, &["--replay-ledger", "--patience", LONG]).ended();
        assert!(output.status.success(), "a counter was forgotten:\n{said}\n{}", service.region.log());
    }

    /// Returns the contents of the ledger. A counter that was accepted twice is an error.
    pub fn ledger(&self) -> Ledger {
        let text = fs::read_to_string(self.folder.path().join(LEDGER)).expect("the ledger");
        Ledger::read(&Source::new(LEDGER, text)).unwrap_or_else(|messages| panic!("{messages:?}"))
    }
}

/// A copy of a folder of the sample, as wanted and with free ports.
fn copy(from: &Path, to: &Path, wanted: &Wanted) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            // The state that the sample has left in its folder is not copied: a copy begins without one.
            if entry.file_name() != ".syncpoint" {
                copy(&path, &target, wanted);
            }
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        let text = match entry.file_name().to_str() {
            Some("listener.txt") => {
                let silence = format!("REATIME={}", wanted.client_seconds);
                text.replace(LISTENER_PORT, "PORT=0").replace(LISTENER_SILENCE, &silence)
            }
            Some("config.txt") => wanted.configuration(&text),
            Some("region.toml") => text + FREE_PORT,
            _ => text,
        };
        fs::write(target, text).expect("written");
    }
}

/// A region that authenticates.
pub struct Service {
    /// The region.
    pub region: Region,
    /// The port of its listener.
    pub port: u16,
}

/// Terminals at work.
pub struct Load {
    child: Child,
    ledger: PathBuf,
}

impl Load {
    /// Waits until the ledger has grown: messages come and go.
    pub fn works(&mut self) {
        let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
        let (before, begun) = (length(&self.ledger), Instant::now());
        while length(&self.ledger) == before {
            assert!(begun.elapsed() < PATIENCE, "no message comes to anything");
            assert!(self.child.try_wait().expect("a child").is_none(), "it has ended already");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Stops it: what it has to report.
    pub fn stopped(self) -> String {
        signal(&self.child, "INT");
        self.ended().1
    }

    /// Waits until all is sent: how it ended, and its report.
    pub fn ended(self) -> (Output, String) {
        let output = self.child.wait_with_output().expect("it ends");
        let said = [&output.stdout[..], &output.stderr].concat();
        (output, String::from_utf8_lossy(&said).into_owned())
    }
}
