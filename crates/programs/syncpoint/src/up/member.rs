//! One process of a topology: its life, and how it is started again.
//!
//! ```text
//! waits ──► starts ──► ready ──► ends ──► ended
//!             │          │ dies
//!             └──────────┴──► rests ──► starts …      too often ──► failed
//! ```

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::lines;

/// The limits of a topology.
pub(crate) struct Limits {
    /// For a process to be ready.
    pub start: Duration,
    /// For a process to end in order.
    pub end: Duration,
    /// Times in a row that a process is started again.
    pub restarts: u32,
}

/// The rest before a process that has died is started again: it doubles up to the longest one.
const REST: Duration = Duration::from_millis(250);
const REST_MAX: Duration = Duration::from_secs(30);
/// A process that has been ready for so long is well: its deaths are counted from the beginning.
const WELL_AFTER: Duration = Duration::from_secs(60);

/// The command line of a process.
pub(crate) struct Program {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// Words of the line by which it says that it is ready.
    pub ready: &'static str,
    /// It may wait for one on another machine to go, as long as that takes.
    pub stands_by: bool,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberState {
    /// Those of an earlier part are not ready.
    Waits,
    Starts,
    Ready,
    /// It was asked to end; behind its end it is started again, if it is replaced.
    Ends {
        replaced: bool,
    },
    /// It has died, and is started again at this time.
    Rests(Instant),
    /// It has ended in order.
    Ended,
    /// It has died too often.
    Failed,
}

impl MemberState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Starts => "starts",
            Self::Ready => "ready",
            Self::Ends { replaced: true } => "is replaced",
            Self::Ends { replaced: false } => "ends",
            Self::Rests(_) => "rests",
            Self::Ended => "ended",
            Self::Failed => "failed",
        }
    }

    /// Returns true if there is no process, and none will be.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Ended | Self::Failed)
    }
}

/// A process of a topology.
pub(crate) struct Member {
    pub name: String,
    /// The name of all its clones.
    pub group: String,
    /// Its part: the number by which it starts and ends, and the word for it.
    pub stage: usize,
    pub part: &'static str,
    /// The folder of a region's state.
    pub folder: Option<PathBuf>,
    pub state: MemberState,
    /// Since when it is in that state.
    pub since: Instant,
    /// The number of times that it was started again.
    pub restarts: u32,
    program: Program,
    child: Option<Child>,
    ready: Option<UnboundedReceiver<()>>,
    /// Deaths since it was well.
    deaths: u32,
    was_ready: bool,
}

impl Member {
    pub fn new(
        name: &str,
        group: &str,
        (stage, part): (usize, &'static str),
        program: Program,
        folder: Option<PathBuf>,
    ) -> Self {
        let (name, group) = (name.to_owned(), group.to_owned());
        let (state, since) = (MemberState::Waits, Instant::now());
        let (child, ready, restarts, deaths, was_ready) = (None, None, 0, 0, false);
        Self {
            name,
            group,
            stage,
            part,
            folder,
            state,
            since,
            restarts,
            program,
            child,
            ready,
            deaths,
            was_ready,
        }
    }

    /// The number of its process.
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    fn becomes(&mut self, state: MemberState) {
        (self.state, self.since) = (state, Instant::now());
    }

    /// Starts it. Its end is that of the process which starts it: the kernel sends it a signal.
    pub fn start(&mut self) {
        if let Err(error) = self.try_start() {
            lines::say(&format!("{} cannot be started: {error}", self.name));
            self.kill();
            self.becomes(MemberState::Failed);
        }
    }

    fn try_start(&mut self) -> io::Result<()> {
        let Program { program, arguments, ready, .. } = &self.program;
        let mut command = Command::new(program);
        // Ctrl-C at the terminal is for the one who ends them in order.
        command.args(arguments).process_group(0).env_remove("NOTIFY_SOCKET").env_remove("WATCHDOG_USEC");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        self.child = Some(child);
        let (sender, receiver) = unbounded_channel();
        if let Some(stdout) = stdout {
            lines::pass_on(&self.name, stdout, Some((*ready, sender)))?;
        }
        if let Some(stderr) = stderr {
            lines::pass_on(&self.name, stderr, None)?;
        }
        self.ready = Some(receiver);
        self.becomes(MemberState::Starts);
        Ok(())
    }

    /// Looks at it, and does what is due. `is_served`: what it needs is there; without it, it is not started again.
    pub fn look(&mut self, limits: &Limits, is_served: bool) {
        if let Some(child) = &mut self.child
            && let Ok(Some(status)) = child.try_wait()
        {
            self.child = None;
            return self.has_ended(status, limits);
        }
        match self.state {
            MemberState::Starts if self.ready.as_mut().is_some_and(|ready| ready.try_recv().is_ok()) => {
                lines::say(&format!(
                    "{} is ready after {:.1} s",
                    self.name,
                    self.since.elapsed().as_secs_f64()
                ));
                self.was_ready = true;
                self.becomes(MemberState::Ready);
            }
            MemberState::Starts if !self.program.stands_by && self.since.elapsed() > limits.start => {
                let seconds = limits.start.as_secs();
                lines::say(&format!(
                    "{} is not ready after {seconds} s (start-limit): it is killed",
                    self.name
                ));
                self.kill();
            }
            MemberState::Ready if self.deaths > 0 && self.since.elapsed() > WELL_AFTER => self.deaths = 0,
            MemberState::Ends { .. } if self.since.elapsed() > limits.end => {
                let seconds = limits.end.as_secs();
                lines::say(&format!(
                    "{} has not ended after {seconds} s (end-limit): it is killed",
                    self.name
                ));
                self.kill();
                self.since = Instant::now();
            }
            MemberState::Rests(until) if is_served && Instant::now() >= until => {
                self.restarts += 1;
                self.start();
            }
            _ => {}
        }
    }

    fn has_ended(&mut self, status: ExitStatus, limits: &Limits) {
        let name = &self.name;
        match self.state {
            MemberState::Ends { replaced: true } => {
                lines::say(&format!("{name} has ended ({status}), and is started again"));
                self.restarts += 1;
                self.start();
            }
            MemberState::Ends { replaced: false } => {
                lines::say(&format!("{name} has ended ({status})"));
                self.becomes(MemberState::Ended);
            }
            // An operator has ended it.
            MemberState::Ready if status.success() => {
                lines::say(&format!("{name} has ended in order"));
                self.becomes(MemberState::Ended);
            }
            _ if !self.was_ready => {
                lines::say(&format!("{name} does not start ({status}): its lines above say why"));
                self.becomes(MemberState::Failed);
            }
            _ => self.has_died(status, limits),
        }
    }

    fn has_died(&mut self, status: ExitStatus, limits: &Limits) {
        let name = &self.name;
        self.deaths += 1;
        if self.deaths > limits.restarts {
            lines::say(&format!(
                "{name} has died ({status}): it is not started again (restarts = {})",
                limits.restarts
            ));
            return self.becomes(MemberState::Failed);
        }
        let rest = REST.saturating_mul(1 << (self.deaths - 1).min(16)).min(REST_MAX);
        lines::say(&format!(
            "{name} has died ({status}): it is started again in {:.2} s",
            rest.as_secs_f64()
        ));
        self.becomes(MemberState::Rests(Instant::now() + rest));
    }

    /// Asks it to end in order.
    pub fn end(&mut self, replaced: bool) {
        if self.child.is_none() {
            return self.becomes(MemberState::Ended);
        }
        self.signal(Signal::TERM);
        self.becomes(MemberState::Ends { replaced });
    }

    /// Ends it at once. It is noticed as any end is.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// Starts it again: in order, if it runs.
    pub fn replace(&mut self) {
        self.deaths = 0;
        if self.child.is_some() {
            self.end(true);
        } else {
            self.start();
        }
    }

    fn signal(&mut self, signal: Signal) {
        // A process that was not waited for keeps its number.
        let process = self.process().and_then(|process| Pid::from_raw(i32::try_from(process).ok()?));
        if let Some(process) = process {
            let _ = kill_process(process, signal);
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
