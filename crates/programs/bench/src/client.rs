//! The other end of the socket measurements: `bench client …`, a process of its own, so that its processor time is not
//! the region's.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::inputs::{CONTACT_ANSWER, CONTACTS, DIRECT_ANSWER};

/// The word that makes this program a client.
pub(crate) const WORD: &str = "client";
/// Bytes of a message.
pub(crate) const MESSAGE: usize = 137;
/// Bytes of an answer.
pub(crate) const ANSWER: usize = 106;
/// Bytes of the length before a message of a conversation.
pub(crate) const PREFIX: usize = 2;
/// Bytes with which a socket names its conversation.
pub(crate) const IDENTIFIER: usize = 8;

/// `connections PORT COUNT CLIENTS`, `http MESSAGE PATH PORT COUNT CLIENTS`, `timed MESSAGE PATH PORT SECONDS CLIENTS` or `conversations RECEIVE SEND CONVERSATIONS COUNT …`.
pub(crate) fn run(arguments: &[String]) -> std::io::Result<()> {
    let number = |at: usize| -> usize { arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(0) };
    let work: Vec<_> = match arguments.first().map(String::as_str) {
        Some("connections") => {
            let (port, count, clients) = (number(1) as u16, number(2), number(3));
            let each = move |client: usize| {
                // Each client has an address of its own, and so ports enough.
                let address = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 1 + client as u8), port));
                (0..count / clients).try_for_each(|_| connection(address))
            };
            (0..clients).map(|client| thread::spawn(move || each(client))).collect()
        }
        Some("http") => {
            let text = |at: usize| arguments.get(at).cloned().unwrap_or_default();
            let (message, path, port) = (Message::of(&text(1)), text(2), number(3) as u16);
            let (count, clients) = (number(4), number(5));
            let each =
                move |path: String, client: usize| requests(message, port, &path, client, count / clients);
            let started = (0..clients).map(|client| {
                let path = path.clone();
                thread::spawn(move || each(path, client))
            });
            started.collect()
        }
        Some("timed") => {
            let text = |at: usize| arguments.get(at).map_or("", String::as_str);
            let told = timed(Message::of(text(1)), text(2), number(3) as u16, number(4), number(5))?;
            println!("{} {} {}", told.answers, told.response_us, told.most);
            return Ok(());
        }
        _ => {
            let (receive, send) = (number(1) as u16, number(2) as u16);
            let (conversations, count) = (number(3), number(4));
            let each = move |place| conversation(receive, send, place, count / conversations);
            (0..conversations).map(|place| thread::spawn(move || each(place))).collect()
        }
    };
    work.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
}

fn connection(address: SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(&[b'M'; MESSAGE])?;
    let mut answer = Vec::with_capacity(ANSWER);
    stream.read_to_end(&mut answer)?;
    if answer.len() == ANSWER { Ok(()) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
}

/// The text of a request of a row, and the beginning that its answer must have.
#[derive(Clone, Copy)]
pub(crate) enum Message {
    /// A key of eight digits; the answer begins with it.
    Key,
    /// A contact is read.
    Query,
    /// A contact is created, read, changed twice, read and deleted.
    AllKinds,
    /// The same two, asked of a service in JSON.
    QueryInJson,
    AllKindsInJson,
}

impl Message {
    /// Its name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Query => "query",
            Self::AllKinds => "all-kinds",
            Self::QueryInJson => "query-in-json",
            Self::AllKindsInJson => "all-kinds-in-json",
        }
    }

    fn of(word: &str) -> Self {
        let all = [Self::Query, Self::AllKinds, Self::QueryInJson, Self::AllKindsInJson];
        all.into_iter().find(|message| message.word() == word).unwrap_or(Self::Key)
    }

    /// A request's body, what its answer has, and the bytes of that answer; 0 if its head says how many.
    fn texts(self, client: usize, number: usize) -> (String, String, usize) {
        let key = (client * 37 + number) % CONTACTS;
        match self {
            Self::Key => (format!("{key:08}"), format!("{key:08}"), DIRECT_ANSWER),
            Self::Query => (format!("Q {key:08}"), format!("Q0{key:08}CONTACT"), CONTACT_ANSWER),
            Self::AllKinds => {
                // A client creates a contact that no other client does.
                let key = CONTACTS + client;
                let contact = format!("{key:08}{:30}{:20}{:10}", "NEW", "555-0100", "FRESH");
                (format!("M {contact}"), format!("M0{key:08}{:30}555-0000", "NEW"), CONTACT_ANSWER)
            }
            Self::QueryInJson => {
                let id = format!("{key:08}");
                (in_json('Q', [&id, "", "", ""]), format!("\"ca_name\":\"CONTACT {id}\""), 0)
            }
            Self::AllKindsInJson => {
                let id = format!("{:08}", CONTACTS + client);
                let expected = format!("\"ca_id\":\"{id}\",\"ca_name\":\"NEW\",\"ca_phone\":\"555-0000\"");
                (in_json('M', [&id, "NEW", "555-0100", "FRESH"]), expected, 0)
            }
        }
    }
}

/// A contact's message to a service.
fn in_json(action: char, [id, name, phone, qualifier]: [&str; 4]) -> String {
    format!(
        "{{\"ca_action\":\"{action}\",\"ca_state\":\" \",\"ca_contact\":{{\"ca_id\":\"{id}\",\"ca_name\":\"{name}\",\
         \"ca_phone\":\"{phone}\",\"ca_qualifier\":\"{qualifier}\"}}}}"
    )
}

/// One request with a key.
pub(crate) fn request(port: u16, path: &str) -> std::io::Result<()> {
    requests(Message::Key, port, path, 0, 1)
}

/// Requests on one connection, each behind the answer to the one before.
pub(crate) fn requests(
    message: Message,
    port: u16,
    path: &str,
    client: usize,
    count: usize,
) -> std::io::Result<()> {
    let mut stream = connected(port)?;
    (0..count).try_for_each(|number| one(&mut stream, message, path, client, number))
}

fn connected(port: u16) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One request and its answer, which is looked at.
fn one(
    stream: &mut TcpStream,
    message: Message,
    path: &str,
    client: usize,
    number: usize,
) -> std::io::Result<()> {
    let (body, expected, size) = message.texts(client, number);
    let media = if size == 0 { "Content-Type: application/json\r\n" } else { "" };
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{media}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let answer = answer(stream, size)?;
    let is_right = answer.starts_with(b"HTTP/1.1 200")
        && answer.windows(expected.len()).any(|bytes| bytes == expected.as_bytes());
    if is_right { Ok(()) } else { Err(std::io::Error::other(String::from_utf8_lossy(&answer).into_owned())) }
}

/// The figures of clients about a load.
pub(crate) struct Told {
    pub answers: u64,
    /// Microseconds from a request to its answer, the mean.
    pub response_us: f64,
    /// Answers of the best second.
    pub most: u64,
}

impl Told {
    /// As `timed` prints it.
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let answers = words.next()?.parse().ok()?;
        Some(Self { answers, response_us: words.next()?.parse().ok()?, most: words.next()?.parse().ok()? })
    }
}

/// Clients that ask one request after the other for some seconds.
fn timed(message: Message, path: &str, port: u16, seconds: usize, clients: usize) -> std::io::Result<Told> {
    let begin = Instant::now();
    // Of each client: answers in each second, and the time that all of them took.
    let each = |client| -> std::io::Result<(Vec<u64>, Duration)> {
        let (mut stream, mut counts, mut waited) = (connected(port)?, vec![0; seconds], Duration::ZERO);
        for number in 0.. {
            let asked = Instant::now();
            one(&mut stream, message, path, client, number)?;
            let answered = Instant::now();
            let Some(count) = counts.get_mut((answered - begin).as_secs() as usize) else { break };
            *count += 1;
            waited += answered - asked;
        }
        Ok((counts, waited))
    };
    let (mut counts, mut waited) = (vec![0; seconds], Duration::ZERO);
    thread::scope(|scope| {
        let started: Vec<_> = (0..clients).map(|client| scope.spawn(move || each(client))).collect();
        started.into_iter().try_for_each(|client| {
            let ended = client.join().map_err(|_| std::io::Error::other("a client has ended by itself"))?;
            let (own, time) = ended?;
            counts.iter_mut().zip(own).for_each(|(count, own)| *count += own);
            waited += time;
            Ok::<_, std::io::Error>(())
        })
    })?;
    let answers: u64 = counts.iter().sum();
    let response_us = waited.as_secs_f64() * 1e6 / answers.max(1) as f64;
    Ok(Told { answers, response_us, most: counts.into_iter().max().unwrap_or(0) })
}

/// An answer with a body of so many bytes, or of as many as its head says. One that is not what was asked for may have another body.
fn answer(stream: &mut TcpStream, size: usize) -> std::io::Result<Vec<u8>> {
    let mut answer = Vec::with_capacity(1024);
    let mut bytes = [0; 1024];
    loop {
        let count = stream.read(&mut bytes)?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(&bytes[..count]);
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let refused = answer.len() > 12 && !answer.starts_with(b"HTTP/1.1 200");
        let whole = end.map(|end| end + 4 + if size == 0 { said(&answer[..end]) } else { size });
        if refused || whole.is_some_and(|whole| answer.len() >= whole) {
            return Ok(answer);
        }
    }
}

/// The bytes of a body that a head says.
fn said(head: &[u8]) -> usize {
    const NAME: &[u8] = b"Content-Length: ";
    let at = head.windows(NAME.len()).position(|bytes| bytes.eq_ignore_ascii_case(NAME));
    let digits = at.map_or(&[][..], |at| &head[at + NAME.len()..]);
    digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |all, byte| all * 10 + usize::from(byte - b'0'))
}

fn conversation(receive: u16, send: u16, place: usize, count: usize) -> std::io::Result<()> {
    // No other process of clients has the names of this one.
    let name = format!("{:04X}{place:04}", std::process::id() & 0xFFFF);
    let mut answers = TcpStream::connect((Ipv4Addr::LOCALHOST, send))?;
    answers.write_all(name.as_bytes())?;
    let mut messages = TcpStream::connect((Ipv4Addr::LOCALHOST, receive))?;
    messages.set_nodelay(true)?;
    messages.write_all(name.as_bytes())?;
    let mut message = [b'M'; PREFIX + MESSAGE];
    message[..PREFIX].copy_from_slice(&(MESSAGE as u16).to_be_bytes());
    let mut answer = [0; PREFIX + ANSWER];
    for _ in 0..count {
        messages.write_all(&message)?;
        answers.read_exact(&mut answer)?;
    }
    Ok(())
}
