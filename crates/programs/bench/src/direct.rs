//! The direct path: messages over kept HTTP connections to a program that was started before, beside a bare epoll server and
//! beside the normal path. Clients are a process of their own.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, accept_with, getsockname, recv, send};

use crate::Options;
use crate::client::{self, Message};
use crate::clock::{in_turns, processor_time};
use crate::inputs::{DIRECT_ANSWER, DIRECT_MESSAGE};
use crate::processes;
use crate::promise::Measured;
use crate::site::{Site, Workshop};
use crate::sockets::{FLAGS, open};

/// Rounds of which the median is taken.
pub(crate) const ROUNDS: usize = 5;
/// Messages of one round, all clients together.
const MESSAGES: usize = 40_000;
/// Clients at a time.
pub(crate) const CLIENTS: usize = 16;

/// No SQL: the direct path beside a bare server.
pub(crate) fn path(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region_with_direct(1)?;
    let bare = Bare::start()?;
    let at = address(&site, "direct")?.port();
    let measured = both(options, "direct-path", at, bare.address.port());
    drop(bare);
    site.end();
    Ok(measured)
}

/// The direct path beside the normal one, no SQL.
pub(crate) fn against_normal(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region_with_direct(1)?;
    let (direct, normal) = (address(&site, "direct")?.port(), address(&site, "web")?.port());
    let measured = both(options, "direct-against-normal", direct, normal);
    site.end();
    Ok(measured)
}

/// A message without SQL at two ports, under load; with one client in the note.
fn both(options: &Options, id: &str, figure: u16, floor: u16) -> Measured {
    let rounds = options.size(ROUNDS, 1);
    let at = |clients| {
        let run = |port| per_message(options, &Ask::at(port, "/plain", clients), &[]);
        in_turns(id, rounds, || run(figure), || run(floor))
    };
    let (load, load_floor) = at(CLIENTS);
    let (alone, alone_floor) = at(1);
    let ratio = alone / alone_floor;
    Measured::new(load, load_floor)
        .note(format!("one client: {alone:.2} us beside {alone_floor:.2} us, {ratio:.2} x"))
}

/// Returns the address of a door of a region.
pub(crate) fn address(site: &Site, door: &str) -> Result<SocketAddr, String> {
    site.addresses(door).first().copied().ok_or_else(|| format!("no door {door} is open"))
}

/// The requests of clients.
pub(crate) struct Ask<'a> {
    pub message: Message,
    pub port: u16,
    pub path: &'a str,
    /// The number of clients that ask at once, each on a connection of its own.
    pub clients: usize,
}

impl<'a> Ask<'a> {
    /// A message of a key.
    pub fn at(port: u16, path: &'a str, clients: usize) -> Self {
        Self { message: Message::Key, port, path, clients }
    }
}

/// Microseconds of this process, and of those servers, for each message.
pub(crate) fn per_message(options: &Options, ask: &Ask<'_>, servers: &[u32]) -> f64 {
    let messages = options.size(MESSAGES, 4 * ask.clients);
    let spent = || processor_time() + processes::time_of(servers);
    let before = spent();
    let own = std::env::current_exe().expect("this program's file");
    let mut command = Command::new(own);
    let numbers = [ask.port.to_string(), messages.to_string(), ask.clients.to_string()];
    command.args([client::WORD, "http", ask.message.word(), ask.path]).args(numbers).stdin(Stdio::null());
    let status = command.status().expect("a client process");
    assert!(status.success(), "the clients had their answers");
    (spent() - before) * 1e6 / messages as f64
}

/// A bare epoll server that answers requests of kept connections, on a thread of this process.
struct Bare {
    address: SocketAddr,
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

impl Bare {
    fn start() -> Result<Self, String> {
        let failed = |error: Errno| format!("the bare server does not start: {error}");
        let listening = open().map_err(failed)?;
        let address = SocketAddr::try_from(getsockname(&listening).map_err(failed)?).map_err(failed)?;
        let stop = rustix::event::eventfd(0, rustix::event::EventfdFlags::NONBLOCK).map_err(failed)?;
        let waits = stop.try_clone().map_err(|error| error.to_string())?;
        let thread = std::thread::spawn(move || serve(&listening, &waits));
        Ok(Self { address, stop, thread: Some(thread) })
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(listening: &OwnedFd, stop: &OwnedFd) {
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).expect("an epoll");
    let watch = |fd: &OwnedFd| {
        let data = epoll::EventData::new_u64(fd.as_raw_fd() as u64);
        epoll::add(&epoll, fd, data, epoll::EventFlags::IN).expect("watched");
    };
    watch(stop);
    watch(listening);
    let mut clients: HashMap<RawFd, (OwnedFd, Vec<u8>)> = HashMap::new();
    let mut events = Vec::with_capacity(256);
    let mut buffer = Vec::with_capacity(16 * 1024);
    loop {
        events.clear();
        match epoll::wait(&epoll, spare_capacity(&mut events), None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("epoll: {error}"),
        }
        for event in &events {
            let number = event.data.u64() as RawFd;
            if number == stop.as_raw_fd() {
                return;
            }
            if number == listening.as_raw_fd() {
                if let Ok(fd) = accept_with(listening, FLAGS) {
                    watch(&fd);
                    clients.insert(fd.as_raw_fd(), (fd, Vec::new()));
                }
                continue;
            }
            buffer.clear();
            let Some((fd, read)) = clients.get_mut(&number) else { continue };
            match recv(&*fd, spare_capacity(&mut buffer), RecvFlags::empty()) {
                Ok((count, _)) if count > 0 => {
                    read.extend_from_slice(&buffer[..count]);
                    answer(fd, read);
                }
                Err(Errno::WOULDBLOCK) => {}
                _ => drop(clients.remove(&number)),
            }
        }
    }
}

/// Answers the request that is whole.
fn answer(fd: &OwnedFd, read: &mut Vec<u8>) {
    let Some(end) = read.windows(END_OF_HEAD.len()).position(|bytes| bytes == END_OF_HEAD) else { return };
    let body = end + END_OF_HEAD.len();
    if read.len() < body + DIRECT_MESSAGE {
        return;
    }
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n");
    out.extend_from_slice(&read[body..body + DIRECT_MESSAGE]);
    out.resize(out.len() + DIRECT_ANSWER - DIRECT_MESSAGE, b' ');
    read.clear();
    let _ = send(fd, &out, SendFlags::NOSIGNAL);
}
