//! Processes by their numbers: which is a server, and how one is asked to end and waited for.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

use crate::limits;

/// In order first; then at once, so that its next start repeats its log. One that a user has stopped has to go on for that.
pub(super) const STOPPING: [(Signal, Duration); 3] = [
    (Signal::INT, limits::SERVER_STOP),
    (Signal::CONT, Duration::ZERO),
    (Signal::QUIT, limits::SERVER_STOP_AT_ONCE),
];

/// Returns true if a process is a server that has not ended.
pub(super) fn is_postgres(pid: u32) -> bool {
    let about = PathBuf::from(format!("/proc/{pid}/stat"));
    let Ok(stat) = fs::read_to_string(about) else { return false };
    // `PID (NAME) STATE …`; a process that has ended and was not waited for is a Z.
    let is_ended = stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']));
    stat.contains("(postgres)") && !is_ended
}

fn of(pid: u32) -> io::Result<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Asks a process to end.
pub(super) fn signal(pid: u32, signal: Signal) -> io::Result<()> {
    unless_gone(kill_process(of(pid)?, signal))
}

/// Asks the processes of a group to end; the number is that of its first process.
pub(super) fn signal_group(pid: u32, signal: Signal) -> io::Result<()> {
    unless_gone(kill_process_group(of(pid)?, signal))
}

fn unless_gone(asked: rustix::io::Result<()>) -> io::Result<()> {
    match asked {
        Err(Errno::SRCH) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Waits for a process to end, in limited time.
pub(super) fn wait(pid: u32, time: Duration) -> io::Result<()> {
    let process = match pidfd_open(of(pid)?, PidfdFlags::empty()) {
        Err(Errno::SRCH) => return Ok(()),
        opened => opened?,
    };
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: 0 };
    poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&time))?;
    Ok(())
}
