//! A program that was started and is not yet of use: a server that does not answer yet, the program that makes data. Who gives it up
//! ends it, in limited time.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::Signal;

use super::signals::{self, STOPPING};

/// The process of such a program.
#[derive(Debug)]
pub(super) struct Beginning {
    /// `None` once it is of use.
    child: Option<Child>,
    /// True if the processes that it starts are asked with it: they are its group.
    with_group: bool,
}

impl Beginning {
    /// A server: it ends the processes that it starts itself.
    pub(super) fn server(child: Child) -> Self {
        Self { child: Some(child), with_group: false }
    }

    /// A program that was started as the first of a group of processes.
    pub(super) fn group(child: Child) -> Self {
        Self { child: Some(child), with_group: true }
    }

    /// Its exit status, if it has ended.
    ///
    /// # Errors
    /// The system's own.
    pub(super) fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.child.as_mut().map_or(Ok(None), Child::try_wait)
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill().and_then(|()| child.wait());
        }
    }

    /// Its process, which is of use now and goes on. `None`: it was killed.
    pub(super) fn succeeds(mut self) -> Option<Child> {
        self.child.take()
    }

    fn ask(&self, pid: u32, signal: Signal) {
        // One that has ended meanwhile needs no signal.
        let _ =
            if self.with_group { signals::signal_group(pid, signal) } else { signals::signal(pid, signal) };
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        let Some(pid) = self.child.as_ref().map(Child::id) else { return };
        let last = (Signal::KILL, Duration::ZERO);
        for (signal, time) in STOPPING.into_iter().chain([last]) {
            if !matches!(self.ended(), Ok(None)) {
                return;
            }
            self.ask(pid, signal);
            let _ = signals::wait(pid, time);
        }
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    /// A shell that takes signals: they are ignored where tests were started in the background.
    fn shell(script: &str) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,QUIT", "sh", "-c", script]);
        command
    }

    fn is_there(pid: u32) -> bool {
        PathBuf::from(format!("/proc/{pid}")).exists()
    }

    #[test]
    fn a_program_that_is_given_up_has_ended() {
        let child = shell("exec sleep 1000").spawn().unwrap();
        let pid = child.id();
        drop(Beginning::server(child));
        assert!(!is_there(pid));
    }

    /// Returns true if a process of a group runs: one that has ended and was not waited for does not.
    fn runs(group: u32) -> bool {
        let stats = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("stat"));
        stats.filter_map(|stat| fs::read_to_string(stat).ok()).any(|stat| {
            // `PID (NAME) STATE PARENT GROUP …`
            let mut fields = stat.rsplit_once(") ").unwrap_or_default().1.split(' ');
            let (state, of) = (fields.next().unwrap_or("Z"), fields.nth(1).unwrap_or_default());
            of == group.to_string() && !["Z", "X"].contains(&state)
        })
    }

    #[test]
    fn a_program_of_a_group_ends_with_those_that_it_has_started() {
        let child = shell("sleep 1000; true").process_group(0).spawn().unwrap();
        let group = child.id();
        assert!(runs(group));
        drop(Beginning::group(child));
        let begun = Instant::now();
        while runs(group) {
            assert!(begun.elapsed() < Duration::from_secs(60), "one of them goes on");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_program_that_succeeds_goes_on() {
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let mut child = Beginning::server(child).succeeds().unwrap();
        assert!(child.try_wait().unwrap().is_none());
        child.kill().and_then(|()| child.wait()).unwrap();
    }
}
