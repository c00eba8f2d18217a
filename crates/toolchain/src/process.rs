//! A program that is run to its end, in limited time: it, what it starts, and what it writes.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open,
    prlimit, waitid,
};

/// What is kept of what a program prints; it may print more, and nobody reads that.
const PRINTED_MAX: u64 = 4 << 20;
/// The size of a file that it may write: a compiler that writes for ever would fill the disk.
const FILE_MAX: u64 = 1 << 30;
/// Between two looks at a process that has no descriptor.
const LOOK: Duration = Duration::from_millis(5);
/// For the system to close what a killed program had open.
const CLOSING: Duration = Duration::from_secs(1);

/// How a program ended by itself.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What it printed: standard error, then standard output.
    pub(crate) printed: [Vec<u8>; 2],
}

/// Runs a program; `None` if it has not ended by itself in that time. It is killed then, with everything it has started.
///
/// It has a process group of its own. Should this process end first, limits of the system end the program instead: it has
/// so many seconds of processor time.
pub(crate) fn run(command: &mut Command, limit: Duration) -> io::Result<Option<Ended>> {
    let deadline = Instant::now() + limit;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let group = Group::of(&child)?;
    group.restrict(limit);
    let printed = group.heard(child.stderr.take(), child.stdout.take(), deadline);
    if !matches!(printed, Ok(Some(_))) {
        group.kill();
    }
    let status = child.wait()?;
    Ok(printed?.map(|printed| Ended { status, printed }))
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// A process that was started, and those that it starts. Nobody has waited for it, so its number means no other one.
struct Group(Pid);

impl Group {
    fn of(child: &Child) -> io::Result<Self> {
        let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        number.map(Self).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    /// Limits that hold whatever becomes of this process. One that has ended already needs none.
    fn restrict(&self, limit: Duration) {
        let most = |most| Rlimit { current: Some(most), maximum: Some(most) };
        let _ = prlimit(Some(self.0), Resource::Cpu, most(limit.as_secs() + 1));
        let _ = prlimit(Some(self.0), Resource::Fsize, most(FILE_MAX));
    }

    /// What is printed until the process ends, and until what it has started has nothing more to say.
    fn heard(
        &self,
        error: Option<ChildStderr>,
        output: Option<ChildStdout>,
        deadline: Instant,
    ) -> io::Result<Option<[Vec<u8>; 2]>> {
        let printed = [reader(error), reader(output)];
        if !self.ends_by(deadline)? {
            return Ok(None);
        }
        let [error, output] = printed.map(|printed| printed.recv_timeout(left(deadline).max(CLOSING)).ok());
        Ok(error.zip(output).map(|(error, output)| [error, output]))
    }

    /// Waits for the process that was started; false if the time has come first.
    fn ends_by(&self, deadline: Instant) -> io::Result<bool> {
        let process = match pidfd_open(self.0, PidfdFlags::empty()) {
            Err(Errno::NOSYS) => return self.is_seen_to_end_by(deadline),
            opened => opened?,
        };
        loop {
            let time = Timespec::try_from(left(deadline)).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&time)) {
                Err(Errno::INTR) => {}
                ready => return Ok(ready? > 0),
            }
        }
    }

    /// The same where processes have no descriptors, as under Valgrind: it is looked at again and again.
    fn is_seen_to_end_by(&self, deadline: Instant) -> io::Result<bool> {
        let without_waiting = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        loop {
            if waitid(WaitId::Pid(self.0), without_waiting)?.is_some() {
                return Ok(true);
            }
            if left(deadline).is_zero() {
                return Ok(false);
            }
            thread::sleep(LOOK.min(left(deadline)));
        }
    }

    fn kill(&self) {
        // All of them may have ended meanwhile.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

/// Reads in a thread of its own, whether anybody waits or not: a program that is not read waits for ever.
fn reader(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            // A stream that cannot be read has nothing more to say.
            let _ = (&mut stream).take(PRINTED_MAX).read_to_end(&mut kept);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        let _ = send.send(kept);
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(300);

    fn shell(text: &str, limit: Duration) -> Option<Ended> {
        run(Command::new("sh").args(["-c", text]), limit).expect("a shell")
    }

    #[test]
    fn a_program_that_ends_is_heard_to_its_last_word() {
        let ended = shell("seq 100000; echo wrong >&2; exit 3", AMPLE).expect("it ends");
        let [error, output] = ended.printed;
        assert_eq!((ended.status.code(), error.as_slice()), (Some(3), b"wrong\n".as_slice()));
        assert!(output.ends_with(b"\n100000\n"));
    }

    #[test]
    fn a_program_that_prints_for_ever_or_leaves_another_one_is_ended() {
        for text in [
            "yes",
            "sleep 1000 & exit 0",
            "exec >&- 2>&-; sleep 1000",
            "trap '' INT TERM HUP; sleep 1000; yes",
        ] {
            let started = Instant::now();
            assert!(shell(text, SHORT).is_none(), "{text}");
            assert!(started.elapsed() < AMPLE, "{text}");
        }
    }

    #[test]
    fn a_process_without_a_descriptor_is_seen_to_end() {
        for (text, limit, ends) in [("exit 0", AMPLE, true), ("sleep 1000", SHORT, false)] {
            let mut child = Command::new("sh").args(["-c", text]).process_group(0).spawn().expect("a shell");
            let group = Group::of(&child).expect("a number");
            assert_eq!(group.is_seen_to_end_by(Instant::now() + limit).ok(), Some(ends), "{text}");
            group.kill();
            child.wait().expect("it has ended");
        }
    }

    #[test]
    fn a_file_that_grows_for_ever_ends_the_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        // Its limits come when it runs already.
        let text = format!("sleep 0.1; dd if=/dev/zero bs=1 count=1 seek={FILE_MAX} of={}", file.display());
        let ended = shell(&text, AMPLE).expect("it ends");
        assert!(!ended.status.success());
    }
}
