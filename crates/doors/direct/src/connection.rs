//! A client's connection: what it has sent, whose turn it is, and what goes back.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use http::Version;
use http::write::status_line;
use kernel::security::User;
use ports::Presence;
use tokio::io::ReadBuf;

use crate::bell::Bell;
use crate::identity::Shown;
use crate::limits::RECEIVE;
use crate::reader::{Came, Reader, Request, Routes};
use crate::settings::{Framing, Identity};
use crate::wire::Wire;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The client's: to send.
    Receives,
    /// A message waits until its user is known.
    Checks,
    /// A message waits for an instance.
    Queued,
    /// An instance has it.
    InHand,
    /// The client's: to take an answer.
    Sends,
    /// The client's: to leave. Bytes that it still sends are thrown away.
    Drains,
}

/// Results of looking at a connection.
pub(crate) enum Looked {
    /// A whole message.
    Message,
    /// It is to be looked at when it rings again.
    Nothing,
    /// It is over.
    Over,
}

/// A client, as far as its connection tells.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Its address.
    pub peer: IpAddr,
    /// The SHA-256 of its certificate in hexadecimal.
    pub certificate: Option<String>,
}

/// A client.
pub(crate) struct Connection {
    wire: Wire,
    bell: Arc<Bell>,
    waker: Waker,
    reader: Reader,
    /// Whose turn it is.
    pub turn: Turn,
    /// The tick since which that is so.
    pub since: u32,
    /// The message, until an instance has it.
    pub message: Vec<u8>,
    /// The request, as far as it is known.
    pub request: Option<Request>,
    /// The instance that has it.
    pub instance: u64,
    /// The client, as far as the connection tells.
    pub caller: Caller,
    /// Its number among all clients.
    pub number: u64,
    /// The user whose the message is, for a scenario that asks.
    pub user: Option<Arc<User>>,
    /// That was purged since it took too long.
    pub is_late: bool,
    out: Vec<u8>,
    sent: usize,
    /// It ends when the answer is gone.
    ends: bool,
    _presence: Presence,
}

impl Connection {
    /// A client that has said nothing yet.
    pub fn new(
        wire: Wire,
        (bell, waker): (Arc<Bell>, Waker),
        reader: Reader,
        presence: Presence,
        (caller, number): (Caller, u64),
        now: u32,
    ) -> Self {
        Self {
            wire,
            bell,
            waker,
            reader,
            turn: Turn::Receives,
            since: now,
            message: Vec::new(),
            request: None,
            instance: 0,
            caller,
            number,
            user: None,
            is_late: false,
            out: Vec::new(),
            sent: 0,
            ends: false,
            _presence: presence,
        }
    }

    /// The proof that it shows of who it is.
    pub fn shown(&self, how: Identity) -> Option<Shown> {
        match how {
            Identity::Basic => {
                let asked = self.request.as_ref()?.asked.as_ref()?;
                asked.authorization.clone().map(Shown::Password)
            }
            Identity::Certificate => self.caller.certificate.clone().map(Shown::Certificate),
        }
    }

    /// Returns true if nothing of a message has come.
    pub fn is_between(&self) -> bool {
        self.turn == Turn::Receives && self.reader.is_between()
    }

    /// Returns true if refusals are answered.
    pub fn is_http(&self) -> bool {
        self.reader.is_http()
    }

    /// It is another's turn.
    pub fn turns(&mut self, turn: Turn, now: u32) {
        self.turn = turn;
        self.since = now;
    }

    /// Goes on with what the client has sent, or takes.
    pub fn look(&mut self, routes: &impl Routes, scratch: &mut [u8; RECEIVE], now: u32) -> Looked {
        self.bell.heard();
        loop {
            match self.turn {
                Turn::Checks | Turn::Queued | Turn::InHand => return Looked::Nothing,
                Turn::Sends => match self.send(now) {
                    Ok(true) => {}
                    Ok(false) => return Looked::Nothing,
                    Err(_) => return Looked::Over,
                },
                Turn::Receives => {
                    let between = self.reader.is_between();
                    match self.reader.next(routes) {
                        Came::Message(request, message) => {
                            (self.request, self.message) = (Some(request), message);
                            return Looked::Message;
                        }
                        Came::Asks => {
                            self.out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
                            self.turns(Turn::Sends, now);
                        }
                        Came::Refused(status) => self.refuse(status, now),
                        Came::Nothing => match self.receive(scratch) {
                            Poll::Pending => return Looked::Nothing,
                            Poll::Ready(Ok(count)) if count > 0 => {
                                self.reader.take(&scratch[..count]);
                                // From its first byte on a message has its time.
                                if between {
                                    self.since = now;
                                }
                            }
                            Poll::Ready(_) => return Looked::Over,
                        },
                    }
                }
                Turn::Drains => match self.receive(scratch) {
                    Poll::Pending => return Looked::Nothing,
                    Poll::Ready(Ok(count)) if count > 0 => {}
                    Poll::Ready(_) => return Looked::Over,
                },
            }
        }
    }

    fn receive(&mut self, scratch: &mut [u8; RECEIVE]) -> Poll<io::Result<usize>> {
        let mut context = Context::from_waker(&self.waker);
        let mut into = ReadBuf::new(scratch);
        // A short read tells the event loop that there is no more: the next one costs no system call.
        match self.wire.poll_read(&mut context, &mut into) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(result) => Poll::Ready(result.map(|()| into.filled().len())),
        }
    }

    /// Sends what is to be sent. True: all of it is gone.
    fn send(&mut self, now: u32) -> io::Result<bool> {
        let mut context = Context::from_waker(&self.waker);
        while self.sent < self.out.len() {
            match self.wire.poll_write(&mut context, &self.out[self.sent..]) {
                Poll::Pending => return Ok(false),
                Poll::Ready(sent) => self.sent += sent?,
            }
        }
        match self.wire.poll_flush(&mut context) {
            Poll::Pending => return Ok(false),
            Poll::Ready(flushed) => flushed?,
        }
        self.out.clear();
        self.sent = 0;
        if self.ends {
            let _ = self.wire.poll_shutdown(&mut context);
            self.turns(Turn::Drains, now);
        } else {
            self.turns(Turn::Receives, now);
        }
        Ok(true)
    }

    /// Answers its message: a status of HTTP, and bytes that `body` writes. False: the client is gone.
    pub fn answer(&mut self, answer: &Answer<'_>, body: impl FnOnce(&mut [u8]), now: u32) -> bool {
        let request = self.request.take();
        (self.is_late, self.user) = (false, None);
        match &self.reader {
            Reader::Http { .. } => {
                let request = request.as_ref();
                let keeps = request.is_some_and(|request| request.keeps) && !answer.is_last;
                head(answer, keeps, request.is_some_and(|request| request.is_old), &mut self.out);
                if may_have_body(answer.status) && !request.is_some_and(|request| request.is_head) {
                    fill(&mut self.out, answer.length, body);
                }
                self.ends = !keeps;
            }
            Reader::Framed { framing, .. } => {
                if let Framing::Length(digits) = *framing {
                    let length = (answer.length as u64).to_be_bytes();
                    self.out.extend_from_slice(&length[length.len() - digits..]);
                }
                fill(&mut self.out, answer.length, body);
                self.ends = answer.is_last;
            }
        }
        self.turns(Turn::Sends, now);
        self.send(now).is_ok()
    }

    /// Says that something is not taken, and hangs up; without HTTP hanging up says it.
    pub fn refuse(&mut self, status: u16, now: u32) {
        self.request = None;
        self.ends = true;
        if self.is_http() {
            head(&Answer { status, is_last: true, ..Answer::default() }, false, false, &mut self.out);
        }
        self.turns(Turn::Sends, now);
    }
}

/// The head of an answer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Answer<'a> {
    /// Its status.
    pub status: u16,
    /// Bytes of its body.
    pub length: usize,
    /// Content-Type; empty: none.
    pub media: &'a str,
    /// The realm in which a client is asked for user and password; empty: it is not asked.
    pub realm: &'a str,
    /// Date; empty: none.
    pub date: &'a str,
    /// The connection ends behind it.
    pub is_last: bool,
}

const OK: u16 = 200;
const UNAVAILABLE: u16 = 503;

/// Returns true if an answer of that status has a body, if only an empty one.
fn may_have_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 304)
}

fn head(answer: &Answer<'_>, keeps: bool, is_old: bool, into: &mut Vec<u8>) {
    match answer.status {
        OK => into.extend_from_slice(b"HTTP/1.1 200 OK\r\n"),
        other => status_line(Version::Http11, other, None, into),
    }
    for (name, value) in [("Date: ", answer.date), ("Content-Type: ", answer.media)] {
        if !value.is_empty() {
            [name, value, "\r\n"].iter().for_each(|part| into.extend_from_slice(part.as_bytes()));
        }
    }
    if !answer.realm.is_empty() {
        into.extend_from_slice(b"WWW-Authenticate: Basic realm=\"");
        into.extend_from_slice(answer.realm.as_bytes());
        into.extend_from_slice(b"\"\r\n");
    }
    if answer.status == UNAVAILABLE {
        into.extend_from_slice(b"Retry-After: 1\r\n");
    }
    if may_have_body(answer.status) {
        into.extend_from_slice(b"Content-Length: ");
        decimal(answer.length, into);
        into.extend_from_slice(b"\r\n");
    }
    match (keeps, is_old) {
        (false, _) => into.extend_from_slice(b"Connection: close\r\n"),
        (true, true) => into.extend_from_slice(b"Connection: keep-alive\r\n"),
        (true, false) => {}
    }
    into.extend_from_slice(b"\r\n");
}

/// A number in digits.
fn decimal(mut number: usize, into: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    into.extend_from_slice(&digits[at..]);
}

fn fill(out: &mut Vec<u8>, length: usize, body: impl FnOnce(&mut [u8])) {
    let begin = out.len();
    out.resize(begin + length, 0);
    body(&mut out[begin..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_written() {
        let written = |answer: Answer<'_>, keeps, is_old| {
            let mut bytes = Vec::new();
            head(&answer, keeps, is_old, &mut bytes);
            String::from_utf8(bytes).expect("text")
        };
        let answer =
            Answer { status: 200, length: 1_234_567, media: "text/plain", date: "now", ..Answer::default() };
        let expected =
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: text/plain\r\nContent-Length: 1234567\r\n\r\n";
        assert_eq!(written(answer, true, false), expected);
        let busy = Answer { status: 503, ..Answer::default() };
        let expected = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n";
        assert_eq!(written(busy, true, true), expected);
    }
}
