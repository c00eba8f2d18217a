//! Sockets and ticket secrets on their way from one region to another of the same user: over a unix socket in the folder of links.
//!
//! ```text
//! asker ── "port 127.0.0.1:4000\n" ──► holder        asker ── "tickets\n" ──► holder
//! asker ◄── '+' and the descriptor, or '-' ──        asker ◄── '+' and 32 bytes, or '-' ──
//!
//! asker ── "takes 127.0.0.1:4000\n" ──► holder: '+' if it takes clients of that port, '-' if it leaves or closes it
//! ```

use std::fs::{self, File, Permissions};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use rustix::net::sockopt::{socket_acceptconn, socket_peercred};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, getsockname, recvmsg, sendmsg,
};

use crate::LocalPath;
use crate::limits::{ASK_MAX, HOLDERS_MAX, LOCK_MAX, LOCK_REST, REQUEST_MAX};
use crate::tickets::SECRET;

/// The ending of the names of these sockets: the name before it is a region's.
const ENDING: &str = "ports";
/// The file that is locked while a region asks the others, and makes the sockets that none of them has.
const LOCK: &str = "lock.ports";
/// Only the owner may look into the folder, and lock there.
const FOLDER: u32 = 0o700;
const SOCKET: u32 = 0o600;
const OTHERS: u32 = 0o077;

const YES: &[u8] = b"+";
const NO: &[u8] = b"-";

/// A thing that one region has and another one asks for.
pub(crate) enum Wanted {
    /// The listening socket of an address.
    Port(SocketAddr),
    /// The secret of tickets.
    Tickets,
    /// The word that it takes clients of an address.
    Takes(SocketAddr),
}

/// The answer of a region that has it.
pub(crate) enum Answer {
    Port(OwnedFd),
    Tickets([u8; SECRET]),
    Takes,
}

impl Wanted {
    fn line(&self) -> String {
        match self {
            Self::Port(address) => format!("port {address}\n"),
            Self::Tickets => String::from("tickets\n"),
            Self::Takes(address) => format!("takes {address}\n"),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        match line.split_once(' ') {
            Some(("port", address)) => address.parse().ok().map(Self::Port),
            Some(("takes", address)) => address.parse().ok().map(Self::Takes),
            None if line == "tickets" => Some(Self::Tickets),
            _ => None,
        }
    }
}

/// A folder in which regions of one user meet.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes it, if it is not there.
    ///
    /// # Errors
    /// It cannot be made, or others than its owner can look into it.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.exists() {
            fs::DirBuilder::new().recursive(true).mode(FOLDER).create(path)?;
        }
        let is = fs::metadata(path)?;
        if is.uid() != rustix::process::geteuid().as_raw() || is.permissions().mode() & OTHERS != 0 {
            return Err(io::Error::other("it must be a folder of this user alone (chmod 700)"));
        }
        Ok(Self(path.to_owned()))
    }

    /// The path to a socket.
    fn path_to(&self, name: &str) -> io::Result<LocalPath> {
        LocalPath::new(&self.0, name)
    }

    /// Waits until no other region asks. The lock ends with the file, and with the process.
    ///
    /// # Errors
    /// Another region asks for too long.
    pub fn lock(&self) -> io::Result<File> {
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(self.0.join(LOCK))?;
        file.set_permissions(Permissions::from_mode(SOCKET))?;
        let begun = Instant::now();
        while let Err(error) = file.try_lock() {
            match error {
                fs::TryLockError::WouldBlock if begun.elapsed() < LOCK_MAX => std::thread::sleep(LOCK_REST),
                fs::TryLockError::WouldBlock => {
                    return Err(io::Error::other("another region has had lock.ports for too long"));
                }
                fs::TryLockError::Error(error) => return Err(error),
            }
        }
        Ok(file)
    }

    /// Asks all regions but `own` for something, until one has it. Those that do not answer in time are passed over.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn ask(&self, own: &str, wanted: &Wanted) -> io::Result<Option<Answer>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.0)?.take(HOLDERS_MAX) {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let is_socket = name.strip_suffix(ENDING).is_some_and(|name| name.ends_with('.'));
            if is_socket && name != LOCK && name != socket_of(own) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names.iter().find_map(|name| match self.ask_one(name, wanted) {
            Ok(answer) => answer,
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => None,
            Err(error) => {
                tracing::debug!(target: "SO", "{name} of the folder of links does not answer: {error}");
                None
            }
        }))
    }

    fn ask_one(&self, name: &str, wanted: &Wanted) -> io::Result<Option<Answer>> {
        let mut stream = UnixStream::connect(self.path_to(name)?)?;
        is_ours(&stream)?;
        stream.set_read_timeout(Some(ASK_MAX))?;
        stream.set_write_timeout(Some(ASK_MAX))?;
        stream.write_all(wanted.line().as_bytes())?;
        let (said, descriptor) = receive(&stream)?;
        if said != YES {
            return Ok(None);
        }
        match wanted {
            Wanted::Port(address) => {
                let socket = descriptor.ok_or_else(|| io::Error::other("no descriptor came"))?;
                let is = SocketAddr::try_from(getsockname(&socket)?)?;
                let listens = socket_acceptconn(&socket)?;
                if is != *address || !listens {
                    return Err(io::Error::other(format!("a socket of {is} came, not of {address}")));
                }
                Ok(Some(Answer::Port(socket)))
            }
            Wanted::Tickets => {
                let mut secret = [0; SECRET];
                stream.read_exact(&mut secret)?;
                Ok(Some(Answer::Tickets(secret)))
            }
            Wanted::Takes(_) => Ok(Some(Answer::Takes)),
        }
    }

    /// Answers other regions in the name of one, on a thread of its own.
    ///
    /// # Errors
    /// The socket cannot be made, or a region of this name answers already.
    pub fn answer(
        self: &Arc<Self>,
        own: &str,
        has: impl Fn(&Wanted) -> Option<Answer> + Send + 'static,
    ) -> io::Result<Answering> {
        let name = socket_of(own);
        let listener = self
            .path_to(&name)?
            .listen_blocking()?
            .ok_or_else(|| io::Error::other(format!("a region {own} runs already that uses this folder")))?;
        let ends = Arc::<AtomicBool>::default();
        let seen = Arc::clone(&ends);
        let thread = std::thread::Builder::new().name(String::from("ports")).spawn(move || {
            for stream in listener.incoming() {
                if seen.load(Ordering::Acquire) {
                    return;
                }
                let answered = stream.and_then(|stream| reply(stream, &has));
                if let Err(error) = answered {
                    tracing::debug!(target: "SO", "a region that asked for a port has no answer: {error}");
                }
            }
        })?;
        Ok(Answering { folder: Arc::clone(self), name, ends, thread: Some(thread) })
    }
}

fn socket_of(region: &str) -> String {
    format!("{region}.{ENDING}")
}

/// Refuses a peer that is another user's.
fn is_ours(stream: &UnixStream) -> io::Result<()> {
    let peer = socket_peercred(stream)?.uid;
    if peer == rustix::process::geteuid() || peer.is_root() {
        return Ok(());
    }
    Err(io::Error::other("the peer is another user's"))
}

/// Answers one question.
fn reply(mut stream: UnixStream, has: &impl Fn(&Wanted) -> Option<Answer>) -> io::Result<()> {
    is_ours(&stream)?;
    stream.set_read_timeout(Some(ASK_MAX))?;
    stream.set_write_timeout(Some(ASK_MAX))?;
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < REQUEST_MAX && stream.read(&mut byte)? == 1 && byte != *b"\n" {
        line.push(byte[0]);
    }
    let wanted = std::str::from_utf8(&line).ok().and_then(Wanted::parse);
    match wanted.and_then(|wanted| has(&wanted)) {
        None => stream.write_all(NO),
        Some(Answer::Takes) => stream.write_all(YES),
        Some(Answer::Tickets(secret)) => stream.write_all(&[YES, &secret].concat()),
        Some(Answer::Port(socket)) => {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            let sockets = [socket.as_fd()];
            control.push(SendAncillaryMessage::ScmRights(&sockets));
            sendmsg(&stream, &[IoSlice::new(YES)], &mut control, SendFlags::NOSIGNAL)?;
            Ok(())
        }
    }
}

/// The first byte of an answer, and the descriptor with it.
fn receive(stream: &UnixStream) -> io::Result<([u8; 1], Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut said = [0];
    let mut parts = [IoSliceMut::new(&mut said)];
    let got = recvmsg(stream, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if got.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let sockets = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
        _ => None,
    });
    Ok((said, sockets.flatten().next()))
}

/// A region that answers others, until it is dropped.
pub(crate) struct Answering {
    folder: Arc<Folder>,
    name: String,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        let Ok(path) = self.folder.path_to(&self.name) else { return };
        // It wakes the thread, which sees that it ends.
        let is_awake = UnixStream::connect(&path).is_ok();
        // A socket that stays behind does no harm.
        let _ = fs::remove_file(&path);
        let own = std::thread::current().id();
        if let Some(thread) = self.thread.take()
            && is_awake
            && thread.thread().id() != own
        {
            let _ = thread.join();
        }
    }
}
