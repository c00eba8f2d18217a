//! A process of its own: what it says, how much processor time it has used, its end.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Lines that are shown of a process that ended too early.
const LAST_LINES: usize = 20;

/// A process that serves until a signal ends it. It is killed when it goes out of scope.
pub(crate) struct Process {
    name: &'static str,
    child: Child,
    pid: Pid,
    clock: ClockId,
    lines: UnboundedReceiver<String>,
    said: Vec<String>,
}

impl Process {
    /// Starts a command. It has a process group of its own: a Ctrl-C goes to its parent, which then ends it.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Self, String> {
        let failed = |what: &dyn std::fmt::Display| format!("{name} does not start: {what}");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let (sender, lines) = unbounded_channel();
        listen(child.stdout.take(), sender.clone());
        listen(child.stderr.take(), sender);
        let pid = Pid::from_raw(i32::try_from(child.id()).map_err(|error| failed(&error))?);
        let clock = clock_getcpuclockid(pid).map_err(|error| failed(&error))?;
        Ok(Self { name, child, pid, clock, lines, said: Vec::new() })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line that holds one of the texts, and gives it.
    pub async fn says(&mut self, texts: &[&str]) -> Result<String, String> {
        while let Some(line) = self.lines.recv().await {
            self.said.push(line.clone());
            if texts.iter().any(|text| line.contains(text)) {
                return Ok(line);
            }
        }
        let last = &self.said[self.said.len().saturating_sub(LAST_LINES)..];
        Err(format!("{} ended, and had said:\n{}", self.name, last.join("\n")))
    }

    /// The first line that holds a text, of those that were said already and those that come.
    pub async fn has_said(&mut self, text: &str) -> Result<String, String> {
        let said = self.said.iter().find(|line| line.contains(text)).cloned();
        match said {
            Some(line) => Ok(line),
            None => self.says(&[text]).await,
        }
    }

    /// Processor time that it has used so far, all threads together.
    pub fn processor_time(&self) -> Result<Duration, String> {
        let time = clock_gettime(self.clock).map_err(|error| format!("{} has ended: {error}", self.name))?;
        Ok(time.into())
    }

    /// Asks it to end in order, and waits for that: all that it has said.
    pub async fn end(mut self) -> Result<Vec<String>, String> {
        // One that has ended by itself is waited for below.
        let _ = kill(self.pid, Signal::SIGINT);
        while let Some(line) = self.lines.recv().await {
            self.said.push(line);
        }
        let status = self.child.wait().map_err(|error| format!("{}: {error}", self.name))?;
        match status.success() {
            true => Ok(std::mem::take(&mut self.said)),
            false => Err(format!("{} ended with {status}", self.name)),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end, line by line, whether anybody wants the lines or not: the process must not wait for a reader.
fn listen(stream: Option<impl Read + Send + 'static>, sender: UnboundedSender<String>) {
    let Some(stream) = stream else { return };
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
}
