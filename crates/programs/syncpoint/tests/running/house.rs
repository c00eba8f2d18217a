//! A region under test: the real binary on a folder of its own and a port of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::terminal::Terminal;

/// The longest time that anything may take before a test fails. Long: slow machines are not what is tested.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The listener of every region under test: a port that is free.
pub const FREE_PORT: &str = "[listen]\ntn3270 = \"127.0.0.1:0\"\n";

/// The line before a listener's address.
const TERMINALS: &str = "Terminals: tn3270 ";
/// The last line of a region's greeting.
const GREETED: &str = "Press Ctrl-C";

/// A number that an environment variable asks for: how much of something a test does.
pub fn asked_for(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// The product: what these tests are asked for is no setting of a region.
pub fn product() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    for name in ["GUESSES", "KILLS", "KILLS_SEED", "RESTARTS"] {
        command.env_remove(format!("SYNCPOINT_{name}"));
    }
    command
}

/// A sequence of chances.
pub struct Chance(u64);

impl Chance {
    /// The sequence that `SYNCPOINT_KILLS_SEED` asks for, or the first one.
    pub fn asked_for() -> Self {
        let seed = asked_for("SYNCPOINT_KILLS_SEED").unwrap_or(1);
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Sends a signal to a process that was started here, by its name without SIG.
pub fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    let status = Command::new("sh").args(["-c", &kill]).status().expect("a shell");
    assert!(status.success(), "{kill}");
}

/// A folder with these files.
pub fn application(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("within the folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    folder
}

/// Lets all copies of an application share one folder of compiled programs.
pub fn share_programs(application: &Path, name: &str) {
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&programs).expect("a folder");
    fs::create_dir(application.join(".syncpoint")).expect("a folder");
    symlink(&programs, application.join(".syncpoint/programs")).expect("a link");
}

/// A region that runs. It is killed when it goes out of scope.
pub struct Region {
    child: Child,
    log: Arc<Log>,
    /// The address on which it listens.
    pub address: SocketAddr,
    /// The address on which it listens for TLS, if it does.
    pub secure: Option<SocketAddr>,
    /// The lines with which it greets, but for the last one.
    pub greeting: String,
}

impl Region {
    /// Starts the region of a folder and waits until it serves.
    pub fn start(folder: &Path) -> Self {
        Self::launch(folder, &[]).unwrap_or_else(|said| panic!("the region does not start:\n{said}"))
    }

    /// Starts the region of a folder by this command.
    pub fn by(command: Command, folder: &Path) -> Self {
        Self::launch_by(command, folder, &[])
            .unwrap_or_else(|said| panic!("the region does not start:\n{said}"))
    }

    /// Returns the messages of the region of a folder that does not start.
    pub fn refused(folder: &Path) -> String {
        match Self::launch(folder, &[]) {
            Ok(region) => panic!("the region starts:\n{}", region.log.text()),
            Err(said) => said,
        }
    }

    /// Starts the region of a folder, which takes up every source that is saved.
    pub fn watch(folder: &Path) -> Self {
        Self::launch(folder, &["--watch"]).unwrap_or_else(|said| panic!("the region does not start:\n{said}"))
    }

    /// Starts the region of a folder on a machine where no program is installed; what it says if it does not start.
    pub fn alone(folder: &Path, options: &[&str]) -> Result<Self, String> {
        let mut command = product();
        command.env("PATH", "");
        Self::launch_by(command, folder, options)
    }

    fn launch(folder: &Path, options: &[&str]) -> Result<Self, String> {
        Self::launch_by(product(), folder, options)
    }

    /// Starts the region of a folder by this command; what it says if it does not start.
    pub fn launch_by(mut command: Command, folder: &Path, options: &[&str]) -> Result<Self, String> {
        command.args(["run", "."]).args(options).current_dir(folder);
        Self::greeted(command)
    }

    /// Starts the region of a command that names its folder itself; what it says if it does not start.
    pub fn greeted(mut command: Command) -> Result<Self, String> {
        command.env("NO_COLOR", "1");
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("syncpoint starts");
        let log = Log::of(child.stderr.take().expect("its log"));
        let greeting = BufReader::new(child.stdout.take().expect("its output"));
        let (mut address, mut secure, mut greeted) = (None, None, String::new());
        for line in greeting.lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once(TERMINALS) {
                let (to, rest) = match rest.strip_prefix("over TLS ") {
                    Some(rest) => (&mut secure, rest),
                    None => (&mut address, rest),
                };
                *to = rest.split_whitespace().next().and_then(|word| word.parse().ok());
            }
            if line.starts_with(GREETED) {
                let address = address.expect("the greeting says where the region listens");
                return Ok(Self { child, log, address, secure, greeting: greeted });
            }
            greeted += &(line + "\n");
        }
        let status = child.wait().expect("it ends");
        assert!(!status.success(), "a region that does not start ends with a failure");
        Err(log.whole())
    }

    /// A new terminal, connected.
    pub fn terminal(&self) -> Terminal {
        Terminal::connect(self.address)
    }

    /// Returns the region's log so far.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Waits until the log has a text.
    pub fn logs(&self, text: &str) {
        self.log.wait(text);
    }

    /// Waits until the log has a text, and gives the word behind it.
    pub fn logged(&self, before: &str) -> String {
        let wanted = |log: &str| Some(log.split_once(before)?.1.split_whitespace().next()?.to_owned());
        self.log.wait(before);
        wanted(&self.log()).unwrap_or_else(|| panic!("nothing behind “{before}”:\n{}", self.log()))
    }

    /// Sends a signal, by its name without SIG.
    pub fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns true if it has not ended yet: its log is still open.
    pub fn is_running(&self) -> bool {
        !self.log.is_closed()
    }

    /// Ends it in order, once the one at its terminal has left.
    pub fn end(self, terminal: Terminal) {
        drop(terminal);
        self.signal("INT");
        let (status, log) = self.ended();
        assert!(status.success(), "{log}");
    }

    /// Ends it: no task has to be purged, and none is waited for. Its log.
    pub fn ends_in_order(self) -> String {
        let begun = Instant::now();
        self.signal("INT");
        let (status, log) = self.ended();
        assert!(status.success(), "{log}");
        for word in ["purged", "DFHAC", "AKCS"] {
            assert!(!log.contains(word), "“{word}”:\n{log}");
        }
        assert!(begun.elapsed() < PATIENCE / 3, "somebody was waited for:\n{log}");
        log
    }

    /// Waits for the end: how it ended, and the whole log.
    pub fn ended(mut self) -> (ExitStatus, String) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return (status, self.log.whole());
            }
            assert!(begun.elapsed() < PATIENCE, "the region does not end:\n{}", self.log.text());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A region that takes up what is saved, started at a terminal: what it shows there. It ends when this goes out of scope.
pub struct AtTerminal {
    terminal: Child,
    shown: Arc<Log>,
}

impl AtTerminal {
    /// Starts the region of a folder and waits until it serves.
    pub fn watch(folder: &Path) -> Self {
        let mut command = Command::new("script");
        command.args(["--quiet", "--flush", "--command"]);
        command.arg(format!("exec '{}' run . --watch", env!("CARGO_BIN_EXE_syncpoint"))).arg("/dev/null");
        command.current_dir(folder).env_remove("NO_COLOR").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut terminal = command.spawn().expect("script, of Debian's bsdutils");
        let shown = Log::of(terminal.stdout.take().expect("its output"));
        let region = Self { terminal, shown };
        region.shows(GREETED);
        region
    }

    /// Waits until it shows a text.
    pub fn shows(&self, text: &str) {
        self.shown.wait(text);
    }

    /// The terminal tells that its session is over: all that is shown then.
    pub fn hung_up(self) -> String {
        let id = self.terminal.id();
        let region = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("a region within");
        let hang_up = format!("kill -HUP {}", region.trim());
        assert!(Command::new("sh").args(["-c", &hang_up]).status().expect("a shell").success(), "{hang_up}");
        self.shown.whole()
    }

    /// Ends it by Ctrl-C: all that it has shown.
    pub fn interrupted(mut self) -> String {
        self.terminal.stdin.take().expect("its keyboard").write_all(b"\x03").expect("it is there");
        self.shown.whole()
    }
}

impl Drop for AtTerminal {
    fn drop(&mut self) {
        // It may have ended already; without its terminal the region ends, too.
        let _ = self.terminal.kill();
        let _ = self.terminal.wait();
    }
}

/// The output of a process to standard error.
#[derive(Default)]
pub struct Log {
    state: Mutex<(String, bool)>,
    grown: Condvar,
}

impl Log {
    pub fn of(stream: impl Read + Send + 'static) -> Arc<Self> {
        let log = Arc::new(Self::default());
        let written = Arc::clone(&log);
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                written.change(|state| state.0 += &(line + "\n"));
            }
            written.change(|state| state.1 = true);
        });
        log
    }

    fn change(&self, change: impl FnOnce(&mut (String, bool))) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.grown.notify_all();
    }

    pub fn text(&self) -> String {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    pub fn wait(&self, text: &str) {
        let found = self.until(|(log, _)| log.contains(text));
        assert!(found, "no “{text}” in the log:\n{}", self.text());
    }

    /// Everything, once the process has closed it.
    pub fn whole(&self) -> String {
        self.until(|(_, ended)| *ended);
        self.text()
    }

    fn until(&self, is_so: impl Fn(&(String, bool)) -> bool) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (_state, waited) = self
            .grown
            .wait_timeout_while(state, PATIENCE, |state| !is_so(state))
            .unwrap_or_else(PoisonError::into_inner);
        !waited.timed_out()
    }
}
