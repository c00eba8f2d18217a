//! The first process of a container: it has the command itself as its child.
//!
//! The kernel keeps from a first process every signal that it does not ask for, and gives it the orphans of all others. This one passes
//! signals on and waits for all that have ended, so that none stays behind. It begins before there is any other thread.

use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::SignalFd;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The number of a first process.
const FIRST: u32 = 1;
/// Says in the environment that the first process is this program. Names that begin with the product's are settings of a region.
const CHILD: &str = "CHILD_OF_SYNCPOINT";
/// This program.
const OWN: &str = "/proc/self/exe";
/// The sender of what is typed at a terminal: the kernel, which has sent it to the child as well.
const KERNEL: i32 = 0x80;
/// Added to a signal's number, this is the exit status of what the signal ended.
const ENDED_BY_SIGNAL: i32 = 128;

/// Runs this command as a child, if this is the first process of a container, and returns its exit status; `None`: this process
/// carries the command out itself.
pub(crate) fn has_child() -> Option<ExitCode> {
    if std::process::id() == FIRST {
        // Without /proc there is no child: signals that the command asks for reach it nevertheless.
        return begin().inspect_err(|_| take_signals()).ok().map(|(signals, child)| serve(&signals, child));
    }
    if std::env::var_os(CHILD).is_some() {
        take_signals();
    }
    None
}

/// Lets signals through that the first process holds back for itself.
fn take_signals() {
    // It cannot fail: the set is one.
    let _ = SigSet::empty().thread_set_mask();
}

/// Starts the command; from here on no signal is lost.
fn begin() -> Result<(SignalFd, Pid), Errno> {
    let all = SigSet::all();
    all.thread_block()?;
    let signals = SignalFd::new(&all)?;
    let arguments = std::env::args_os().skip(1);
    let child = Command::new(OWN).args(arguments).env(CHILD, "1").spawn();
    let child = child.map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or_default()))?;
    Ok((signals, Pid::from_raw(i32::try_from(child.id()).map_err(|_| Errno::ERANGE)?)))
}

/// Stands between the command and the container until it ends.
fn serve(signals: &SignalFd, child: Pid) -> ExitCode {
    loop {
        let Ok(Some(signal)) = signals.read_signal() else { return ExitCode::FAILURE };
        let passed = i32::try_from(signal.ssi_signo).ok().and_then(|number| Signal::try_from(number).ok());
        match passed {
            Some(Signal::SIGCHLD) => {
                if let Some(status) = ended(child) {
                    return ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX));
                }
            }
            // One that has ended needs no signal.
            Some(signal_of_others) if signal.ssi_code != KERNEL => drop(kill(child, signal_of_others)),
            // Signals of real time mean nothing to a command.
            _ => {}
        }
    }
}

/// Waits for all that have ended, and returns the exit status of the command, if it is one of them.
fn ended(child: Pid) -> Option<i32> {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(process, status)) if process == child => return Some(status),
            Ok(WaitStatus::Signaled(process, signal, _)) if process == child => {
                return Some(ENDED_BY_SIGNAL + signal as i32);
            }
            Ok(WaitStatus::StillAlive) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}
