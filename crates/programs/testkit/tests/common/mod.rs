//! A region of a test that is more than a literate test can say: ended and started again, watched from inside.

#![allow(dead_code, reason = "each test uses some of it")]

pub mod elsewhere;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::dispatcher;
use kernel::dispatcher::Attach;
use kernel::name::TransactionName;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use tempfile::TempDir;
use testkit::application::Application;
use testkit::document::Document;
use testkit::house::House;
use testkit::timeline::{Happening, Timeline};
use tokio::task::LocalSet;

/// The longest wait on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval between looks at a state without an event.
const LOOK: Duration = Duration::from_millis(2);

/// An application and its data, through several runs of its region.
pub struct Site {
    application: Application,
    state: TempDir,
    /// The turn of this test: happenings are collected for the whole process, so one test runs at a time.
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

/// Waits for the turn of a test that has no site.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A region that runs.
pub struct Run {
    /// It, and its terminals.
    pub house: House,
}

impl std::ops::Deref for Run {
    type Target = House;

    fn deref(&self) -> &House {
        &self.house
    }
}

impl Run {
    /// Waits until something is so.
    pub async fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let waiting = async {
            while !is_so() {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
            let told = Timeline::of_process().since(0);
            let last: Vec<_> = told.iter().rev().take(20).map(ToString::to_string).collect();
            panic!("in vain: {what}; the last that happened, backwards:\n{}", last.join("\n"));
        }
    }
}

impl Site {
    /// The application of a text with the blocks of a literate test. Its compiled programs are kept under that name.
    pub fn new(name: &str, text: &str) -> Self {
        let turn = turn();
        Timeline::of_process().clear();
        let document = Document::parse(name, text).expect("blocks");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let application = Application::write(&document, &folder).unwrap_or_else(|why| panic!("{why}"));
        let state = tempfile::tempdir().expect("a folder for the state");
        Self { application, state, _turn: turn }
    }

    /// The folder of its state.
    pub fn state(&self) -> &Path {
        self.state.path()
    }

    /// Runs the region; afterwards it ends in order, or by a crash where `what` says false.
    pub fn run(&self, what: impl AsyncFnOnce(&mut Run) -> bool) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
        LocalSet::new().block_on(&runtime, async {
            let started = self.application.start(self.state.path()).await;
            let mut run = Run { house: started.unwrap_or_else(|why| panic!("{why}")) };
            let in_order = what(&mut run).await;
            let running = run.house.running;
            if in_order { running.shut_down().await } else { running.crash().await }
        });
    }
}

/// Starts a transaction on behalf of the region.
pub fn attach(region: &Arc<Region>, transaction: &str) -> u32 {
    let attach = Attach::new(TransactionName::from(transaction), StartCode::System, User::region());
    let attached = dispatcher::attach(region, attach);
    attached.unwrap_or_else(|why| panic!("{transaction} is not attached: {why:?}"))
}

/// Returns the text after a word in the first line that a program has displayed with it.
pub fn displayed(word: &str) -> Option<String> {
    let happenings = Timeline::of_process().since(0).into_iter();
    let mut lines = happenings.filter_map(|happening| match happening {
        Happening::Display(line) => Some(line),
        _ => None,
    });
    lines.find_map(|line| line.strip_prefix(word).map(|rest| rest.trim_end().to_owned()))
}

/// A private Python in a folder of this name with a module, made on first use of these packages. Call it with a site at hand, or
/// in one test only: one at a time.
pub fn python(module: &str, name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python").join(name);
    let python = folder.join("bin/python3");
    let succeeds = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let has_module = || succeeds(Command::new(&python).args(["-c", &format!("import {module}")]));
    let made = has_module()
        || succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))
            && has_module();
    if !made {
        eprintln!("{name} cannot be installed: nothing is shown");
    }
    made.then_some(python)
}

/// A program that `scripts/install test` installs; it ends with the test.
pub fn tool(name: &str) -> tokio::process::Command {
    assert!(is_installed(name), "{name} is not installed: `scripts/install test` installs it");
    let mut command = tokio::process::Command::new(name);
    command.kill_on_drop(true);
    command
}

/// Returns true if a program is installed on the machine.
pub fn is_installed(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|at| at.join(name).is_file()))
}

/// Has h2load send so many requests: each is answered with a status of 2xx.
pub async fn h2load(arguments: &[&str], many: usize) {
    let output = tool("h2load").args(arguments).output().await.expect("h2load runs");
    let told = String::from_utf8_lossy(&output.stdout);
    let said = |what: &str| assert!(told.contains(what), "{arguments:?}: {what} is missing\n{told}");
    said(&format!(
        "requests: {many} total, {many} started, {many} done, {many} succeeded, 0 failed, 0 errored, 0 timeout"
    ));
    said(&format!("status codes: {many} 2xx, 0 3xx, 0 4xx, 0 5xx"));
}
