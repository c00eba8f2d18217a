//! The direct path: messages over kept HTTP connections to a program that was started before, beside a bare epoll server and
//! beside the normal path. Clients are a process of their own.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, accept_with, getsockname, recv, send};

use crate::Options;
use crate::clock::{in_turns, processor_time};
use crate::promise::Measured;
use crate::site::{Site, Workshop};
use crate::sockets::{FLAGS, open};

/// Rounds of which the median is taken.
const ROUNDS: usize = 5;
/// Messages of one round, all clients together.
const MESSAGES: usize = 40_000;
/// Clients of the rows that are under load.
const CLIENTS: usize = 16;
/// Rows of the table that is asked.
pub(crate) const CONTACTS: usize = 1_000;
/// What region and PostgreSQL may use together for a message with one SELECT, in microseconds.
const SELECT_BUDGET_US: f64 = 16.0;

/// One client, no SQL: the direct path beside a bare server.
pub(crate) fn path(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region_with_direct(1)?;
    let bare = Bare::start()?;
    let at = address(&site, "direct")?;
    let run = |port, clients| per_message(options, port, "/plain", clients, &[]);
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) =
        in_turns("direct-path", rounds, || run(at.port(), 1), || run(bare.address.port(), 1));
    let (load, bare_load) =
        in_turns("direct-path", rounds, || run(at.port(), CLIENTS), || run(bare.address.port(), CLIENTS));
    drop(bare);
    site.end();
    Ok(Measured::new(figure, floor).note(format!("{CLIENTS} clients: {load:.2} us, bare {bare_load:.2} us")))
}

/// The direct path beside the normal one, no SQL.
pub(crate) fn against_normal(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region_with_direct(1)?;
    let (direct, normal) = (address(&site, "direct")?, address(&site, "web")?);
    let run = |at: SocketAddr, clients| per_message(options, at.port(), "/plain", clients, &[]);
    let rounds = options.size(ROUNDS, 1);
    let (figure, floor) = in_turns("direct-against-normal", rounds, || run(direct, 1), || run(normal, 1));
    let (load, normal_load) =
        in_turns("direct-against-normal", rounds, || run(direct, CLIENTS), || run(normal, CLIENTS));
    site.end();
    let note = format!("{CLIENTS} clients: {load:.2} us, normal {normal_load:.2} us");
    Ok(Measured::new(figure, floor).note(note))
}

/// A message with one SELECT by key under load: region and PostgreSQL, beside what they may use.
pub(crate) fn select(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region_with_direct(1)?;
    let (direct, normal) = (address(&site, "direct")?, address(&site, "web")?);
    connected(direct)?;
    let servers = servers()?;
    let run = |at: SocketAddr| per_message(options, at.port(), "/select", CLIENTS, &servers);
    let rounds = options.size(ROUNDS, 1);
    let (figure, of_normal) = in_turns("direct-path-select", rounds, || run(direct), || run(normal));
    site.end();
    let note = format!("the normal path: {of_normal:.2} us, region and PostgreSQL");
    Ok(Measured::new(figure, SELECT_BUDGET_US).note(note))
}

/// The table that is asked, as the region's first start makes it.
pub(crate) fn script() -> String {
    let rows: String =
        (0..CONTACTS).map(|id| format!("INSERT INTO CONTACT VALUES ({id}, 'CONTACT {id:08}');\n")).collect();
    format!("CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(30) NOT NULL);\n{rows}")
}

fn address(site: &Site, door: &str) -> Result<SocketAddr, String> {
    site.addresses(door).first().copied().ok_or_else(|| format!("no door {door} is open"))
}

/// Microseconds of this process, and of those servers, for each message.
fn per_message(options: &Options, port: u16, path: &str, clients: usize, servers: &[u32]) -> f64 {
    let messages = options.size(MESSAGES, 4 * clients);
    let spent = || processor_time() + servers_time(servers);
    let before = spent();
    let own = std::env::current_exe().expect("this program's file");
    let mut command = Command::new(own);
    let numbers = [port.to_string(), messages.to_string(), clients.to_string()];
    command.args([crate::client::WORD, "http", path]).args(numbers).stdin(Stdio::null());
    let status = command.status().expect("a client process");
    assert!(status.success(), "the clients had their answers");
    (spent() - before) * 1e6 / messages as f64
}

/// How long the private PostgreSQL may take to be there.
const START: Duration = Duration::from_secs(60);

/// Waits until statements are answered: the private PostgreSQL starts when the first one comes.
fn connected(at: SocketAddr) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < START {
        if crate::client::request(at, "/select").is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err(String::from("no statement is answered"))
}

/// The processes of the region's private PostgreSQL that are there: the first one, whose children come and go.
fn servers() -> Result<Vec<u32>, String> {
    let children = descendants(std::process::id());
    match children.is_empty() {
        true => Err(String::from("no PostgreSQL runs")),
        false => Ok(children),
    }
}

/// Processor time of processes and all that they have started, in seconds.
fn servers_time(servers: &[u32]) -> f64 {
    let all = servers.iter().flat_map(|pid| descendants(*pid).into_iter().chain([*pid]));
    let mut pids: Vec<u32> = all.collect();
    pids.sort_unstable();
    pids.dedup();
    pids.iter().filter_map(|pid| process_time(*pid)).sum()
}

/// The fields of a process behind its name: state, parent and so on.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// Fields of a process behind its name.
const PARENT: usize = 1;
/// Nanoseconds on the processor, the first word of schedstat.
fn process_time(pid: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let ns: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(ns / 1e9)
}

fn descendants(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<(u32, u32)> = entries
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((pid, stat(pid)?.get(PARENT)?.parse().ok()?))
        })
        .collect();
    let mut found = vec![of];
    let mut at = 0;
    while at < found.len() {
        let parent = found[at];
        found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.split_off(1)
}

/// A bare epoll server that answers requests of kept connections, on a thread of this process.
struct Bare {
    address: SocketAddr,
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

/// Bytes of an answer's body.
pub(crate) const ANSWER: usize = 100;
const END_OF_HEAD: &[u8] = b"\r\n\r\n";
/// Bytes of a message.
pub(crate) const MESSAGE: usize = 8;

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
    if read.len() < body + MESSAGE {
        return;
    }
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n");
    out.extend_from_slice(&read[body..body + MESSAGE]);
    out.resize(out.len() + ANSWER - MESSAGE, b' ');
    read.clear();
    let _ = send(fd, &out, SendFlags::NOSIGNAL);
}
