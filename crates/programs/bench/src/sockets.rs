//! IP sockets: a child server behind the listener, and conversations without a socket call in COBOL, each beside a bare
//! epoll server that does the same work on sockets. Clients are a process of their own.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, accept_with, bind, getsockname, listen,
    recv, send, socket_with,
};

use crate::Options;
use crate::client::{ANSWER, IDENTIFIER, MESSAGE, PREFIX};
use crate::clock::{in_turns, processor_time};
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Connections of one round.
const CONNECTIONS: usize = 4_000;
/// Clients that connect at the same time.
const CLIENTS: usize = 8;
/// Messages of one conversation in one round.
pub(crate) const MESSAGES: usize = 2_500;

/// A connection for each message: accept, a child, 137 bytes in, 106 out, close.
pub(crate) fn listener(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region_with_sockets(1)?;
    let listening = site.port("listener", "CSKL").ok_or("the listener does not run")?;
    let floor = Floor::start(1, true)?;
    let connections = options.size(CONNECTIONS, 16);
    let run = |port: u16| per_piece(connections, &["connections", &port.to_string()]);
    let (figure, bare) = in_turns(
        "socket-listener",
        options.size(ROUNDS, 1),
        || run(listening),
        || run(floor.addresses[0].port()),
    );
    drop(floor);
    site.end();
    Ok(Measured::new(figure, bare))
}

/// The programs between two sockets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// A receiver and a sender by EZASOKET, by their listeners.
    Programs([&'static str; 2]),
    /// A conversation: no socket call in COBOL.
    Conversation,
    /// A bare epoll server.
    Bare,
}

/// Receiver and sender that are not threadsafe, and the same programs on TCBs of their own.
pub(crate) const NOT_THREADSAFE: Path = Path::Programs(["LSQR", "LSQS"]);
pub(crate) const THREADSAFE: Path = Path::Programs(["LSNR", "LSNS"]);

/// A region and a bare server that answer messages on two sockets.
pub(crate) struct Rig {
    site: Site,
    floor: Floor,
}

impl Rig {
    pub fn start(workshop: &Workshop) -> Result<Self, String> {
        Ok(Self { site: workshop.region_with_sockets(1)?, floor: Floor::start(2, false)? })
    }

    /// The ports for messages and answers.
    pub fn ports(&self, path: Path) -> Result<[u16; 2], String> {
        let listener = |name| {
            self.site.port("listener", name).ok_or_else(|| format!("the listener {name} does not run"))
        };
        match path {
            Path::Programs([receiver, sender]) => Ok([listener(receiver)?, listener(sender)?]),
            Path::Conversation => match self.site.addresses("conversation").as_slice() {
                [receive, send] => Ok([receive.port(), send.port()]),
                _ => Err(String::from("the conversation has no two ports")),
            },
            Path::Bare => Ok([0, 1].map(|port| self.floor.addresses[port].port())),
        }
    }

    /// Microseconds of processor time for a message, of so many in each of so many conversations at a time.
    pub fn cost(&self, ports: [u16; 2], conversations: usize, messages: usize) -> f64 {
        let [receive, send] = ports.map(|port| port.to_string());
        let arguments = ["conversations", &receive, &send, &conversations.to_string()];
        per_piece(messages * conversations, &arguments)
    }

    /// One path beside another, in turns.
    fn beside(
        &self,
        options: &Options,
        id: &str,
        conversations: usize,
        paths: [Path; 2],
    ) -> Result<Measured, String> {
        let messages = options.size(MESSAGES, 10);
        let [figure, floor] = [self.ports(paths[0])?, self.ports(paths[1])?];
        let (figure, floor) = in_turns(
            id,
            options.size(ROUNDS, 1),
            || self.cost(figure, conversations, messages),
            || self.cost(floor, conversations, messages),
        );
        Ok(Measured::new(figure, floor))
    }

    pub fn end(self) {
        drop(self.floor);
        self.site.end();
    }
}

/// Messages on one socket, answers on another: `conversations` at a time.
pub(crate) fn optimised(
    options: &Options,
    workshop: &Workshop,
    conversations: usize,
) -> Result<Measured, String> {
    let rig = Rig::start(workshop)?;
    let measured =
        rig.beside(options, "socket-optimised", conversations, [Path::Conversation, Path::Bare])?;
    rig.end();
    Ok(measured)
}

/// Five conversations at a time beside as many receivers and senders by EZASOKET; one at a time in the note.
pub(crate) fn against_ezasoket(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    const ID: &str = "optimised-against-ezasoket";
    let rig = Rig::start(workshop)?;
    let one = rig.beside(options, ID, 1, [Path::Conversation, THREADSAFE])?;
    let five = rig.beside(options, ID, 5, [Path::Conversation, THREADSAFE])?;
    rig.end();
    let note = format!("one at a time: {:.1} us beside {:.1} us", one.figure, one.floor);
    Ok(five.note(note))
}

/// Microseconds of this process for each of so many pieces of work that a client process asks for.
fn per_piece(pieces: usize, arguments: &[&str]) -> f64 {
    let before = processor_time();
    let mut client = client(arguments, pieces);
    let ended = client.wait().expect("a client process");
    assert!(ended.success(), "the clients had their answers");
    (processor_time() - before) * 1e6 / pieces as f64
}

fn client(arguments: &[&str], pieces: usize) -> Child {
    let own = std::env::current_exe().expect("this program's file");
    let mut command = Command::new(own);
    command.arg(crate::client::WORD).args(arguments).arg(pieces.to_string()).arg(CLIENTS.to_string());
    command.stdin(Stdio::null()).spawn().expect("a client process")
}

/// A bare epoll server on a thread of this process.
struct Floor {
    addresses: Vec<SocketAddr>,
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl Floor {
    /// Listens on so many ports. With one, each connection is for one message; with two, messages come in on the first
    /// and answers go out on the second.
    fn start(ports: usize, closes: bool) -> Result<Self, String> {
        let failed = |error: Errno| format!("the bare server does not start: {error}");
        let mut listening = Vec::new();
        let mut addresses = Vec::new();
        for _ in 0..ports {
            let fd = open().map_err(failed)?;
            addresses.push(SocketAddr::try_from(getsockname(&fd).map_err(failed)?).map_err(failed)?);
            listening.push(fd);
        }
        let stop = rustix::event::eventfd(0, rustix::event::EventfdFlags::NONBLOCK).map_err(failed)?;
        let waits = stop.try_clone().map_err(|error| error.to_string())?;
        let thread = std::thread::spawn(move || Server::new(listening, closes).run(&waits));
        Ok(Self { addresses, stop, thread: Some(thread) })
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Of every socket here.
pub(crate) const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// A socket that listens on a free port.
pub(crate) fn open() -> Result<OwnedFd, Errno> {
    let fd = socket_with(AddressFamily::INET, SocketType::STREAM, FLAGS, None)?;
    set_socket_reuseaddr(&fd, true)?;
    bind(&fd, &SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)))?;
    listen(&fd, 1_024)?;
    Ok(fd)
}

/// The bare server's connections.
struct Server {
    listening: Vec<OwnedFd>,
    closes: bool,
    clients: HashMap<RawFd, Bare>,
    ways_out: HashMap<Vec<u8>, RawFd>,
    /// Answers for clients whose second socket has not said its name.
    owed: HashMap<Vec<u8>, usize>,
}

struct Bare {
    fd: OwnedFd,
    port: usize,
    name: Option<Vec<u8>>,
}

impl Server {
    fn new(listening: Vec<OwnedFd>, closes: bool) -> Self {
        Self { listening, closes, clients: HashMap::new(), ways_out: HashMap::new(), owed: HashMap::new() }
    }

    fn run(mut self, stop: &OwnedFd) {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).expect("an epoll");
        let watch = |fd: &OwnedFd| {
            let data = epoll::EventData::new_u64(fd.as_raw_fd() as u64);
            epoll::add(&epoll, fd, data, epoll::EventFlags::IN).expect("watched");
        };
        watch(stop);
        self.listening.iter().for_each(watch);
        let mut events = Vec::with_capacity(256);
        let mut buffer = Vec::with_capacity(16 * 1024);
        loop {
            events.clear();
            match epoll::wait(&epoll, spare_capacity(&mut events), None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => panic!("epoll: {error}"),
            }
            for event in &events {
                let number = event.data.u64() as RawFd;
                if number == stop.as_raw_fd() {
                    return;
                }
                if let Some(port) = self.listening.iter().position(|fd| fd.as_raw_fd() == number) {
                    if let Ok(fd) = accept_with(&self.listening[port], FLAGS) {
                        watch(&fd);
                        self.clients.insert(fd.as_raw_fd(), Bare { fd, port, name: None });
                    }
                    continue;
                }
                buffer.clear();
                if !self.serve(number, &mut buffer) {
                    self.clients.remove(&number);
                    self.ways_out.retain(|_, out| *out != number);
                }
            }
        }
    }

    /// Answers what came; false: the connection is over.
    fn serve(&mut self, number: RawFd, buffer: &mut Vec<u8>) -> bool {
        let two = self.listening.len() == 2;
        let Some(client) = self.clients.get_mut(&number) else { return true };
        let count = match recv(client.fd.as_fd(), spare_capacity(buffer), RecvFlags::empty()) {
            Ok((count, _)) => count,
            Err(Errno::WOULDBLOCK) => return true,
            Err(_) => return false,
        };
        if count == 0 {
            return false;
        }
        if !two {
            let _ = send(client.fd.as_fd(), &[b'A'; ANSWER], SendFlags::NOSIGNAL);
            return !self.closes;
        }
        let mut messages = count;
        let name = match &client.name {
            Some(name) => name.clone(),
            None => {
                let name = buffer[..IDENTIFIER].to_vec();
                client.name = Some(name.clone());
                messages -= IDENTIFIER;
                if client.port == 1 {
                    self.ways_out.insert(name.clone(), number);
                }
                name
            }
        };
        *self.owed.entry(name.clone()).or_default() += messages / (PREFIX + MESSAGE);
        self.answer(&name);
        true
    }

    /// Sends what is owed to a client whose second socket is known.
    fn answer(&mut self, name: &[u8]) {
        let out = self.ways_out.get(name).and_then(|out| self.clients.get(out));
        let (Some(out), Some(owed)) = (out, self.owed.get_mut(name)) else { return };
        for _ in 0..std::mem::take(owed) {
            let mut answer = vec![b'A'; PREFIX + ANSWER];
            answer[..PREFIX].copy_from_slice(&(ANSWER as u16).to_be_bytes());
            let _ = send(out.fd.as_fd(), &answer, SendFlags::NOSIGNAL);
        }
    }
}
