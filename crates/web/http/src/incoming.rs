//! The bytes of a client on one connection, as requests one after the other.

use crate::body::BodyReader;
use crate::fields::Fields;
use crate::head::Scan;
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::request::{RequestHead, RequestLine};

/// The requests of a connection. Bytes go in as they come; heads and bodies come out in turn.
#[derive(Debug)]
pub struct Incoming {
    limits: Limits,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were used.
    used: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Head(Scan),
    Body(BodyReader),
    Refused(Refusal),
}

/// The next part of a request.
#[derive(Debug)]
pub enum Event {
    /// A head. Its body comes next, even if it is empty.
    Head(Box<RequestHead>),
    /// The whole body, and the headers after it.
    Body(Vec<u8>, Fields),
}

impl Incoming {
    /// Nothing has come yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, buffer: Vec::new(), used: 0, state: State::Head(Scan::default()) }
    }

    /// Takes bytes that have come. The caller limits their number: [`Incoming::unread`].
    pub fn take(&mut self, bytes: &[u8]) {
        if !matches!(self.state, State::Refused(_)) {
            self.buffer.drain(..self.used);
            self.used = 0;
            self.buffer.extend_from_slice(bytes);
        }
    }

    /// The next head or body, if it is whole.
    ///
    /// # Errors
    /// See [`Refusal`]. It comes once more with each further call: nothing after it is a request.
    pub fn next_event(&mut self) -> Result<Option<Event>, Refusal> {
        let event = self.step();
        if let Err(refusal) = event {
            self.state = State::Refused(refusal);
            self.buffer = Vec::new();
            self.used = 0;
        }
        event
    }

    fn step(&mut self) -> Result<Option<Event>, Refusal> {
        let bytes = &self.buffer[self.used..];
        match &mut self.state {
            State::Refused(refusal) => Err(*refusal),
            State::Head(scan) => {
                let Some(found) = scan.look::<RequestLine>(bytes, &self.limits)? else { return Ok(None) };
                let head = RequestHead::read(bytes, found, &self.limits)?;
                self.state = State::Body(BodyReader::new(head.length(), &self.limits));
                self.used += found.end;
                Ok(Some(Event::Head(Box::new(head))))
            }
            State::Body(body) => {
                self.used += body.take(bytes)?;
                if !body.is_whole() {
                    return Ok(None);
                }
                let head = State::Head(Scan::default());
                let State::Body(body) = std::mem::replace(&mut self.state, head) else { return Ok(None) };
                let (bytes, trailer) = body.into_parts();
                Ok(Some(Event::Body(bytes, trailer)))
            }
        }
    }

    /// Bytes that have come and belong to nothing that came out yet.
    pub fn unread(&self) -> usize {
        self.buffer.len() - self.used
    }

    /// Returns true if no request has begun: the end of the connection now is an orderly one.
    pub fn is_between(&self) -> bool {
        matches!(self.state, State::Head(_)) && self.unread() == 0
    }

    /// Returns true if a body is being read.
    pub fn is_in_body(&self) -> bool {
        matches!(self.state, State::Body(_))
    }

    /// Bytes of memory that wait for more of a request.
    pub fn memory(&self) -> usize {
        self.buffer.capacity()
    }

    /// Gives memory back that a connection without a request does not need.
    pub fn rest(&mut self) {
        if self.unread() == 0 {
            (self.buffer, self.used) = (Vec::new(), 0);
        }
    }
}
