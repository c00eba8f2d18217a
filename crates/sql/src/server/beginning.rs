//! A program that was started and is not yet of use: a server that does not answer yet, the program that makes data. Who gives it up
//! ends it, in limited time.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::Signal;

use super::process::{self, STOPPING};

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
            if self.with_group { process::signal_group(pid, signal) } else { process::signal(pid, signal) };
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
            let _ = process::wait(pid, time);
        }
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::Command;

    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process_group};

    use super::*;

    fn is_there(pid: u32) -> bool {
        PathBuf::from(format!("/proc/{pid}")).exists()
    }

    #[test]
    fn a_program_that_is_given_up_has_ended() {
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = child.id();
        drop(Beginning::server(child));
        assert!(!is_there(pid));
    }

    #[test]
    fn a_program_of_a_group_ends_with_those_that_it_has_started() {
        let child = Command::new("sh").args(["-c", "sleep 1000; true"]).process_group(0).spawn().unwrap();
        let group = Pid::from_child(&child);
        drop(Beginning::group(child));
        assert_eq!(test_kill_process_group(group), Err(Errno::SRCH));
    }

    #[test]
    fn a_program_that_succeeds_goes_on() {
        let child = Command::new("sleep").arg("1000").spawn().unwrap();
        let mut child = Beginning::server(child).succeeds().unwrap();
        assert!(child.try_wait().unwrap().is_none());
        child.kill().and_then(|()| child.wait()).unwrap();
    }
}
