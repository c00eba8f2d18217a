//! Bytes as items, and items as bytes: records end with IAC EOR, and a data byte FF travels as IAC IAC.

use super::code::Verb;
use super::code::command::{EOR, IAC, SB, SE};

/// The longest record in bytes. A 62 × 160 screen read with all its attributes stays below it.
pub const RECORD_LEN_MAX: usize = 65_536;

/// The longest sub-negotiation in bytes; the longest in use (a device type with a name) is below 64.
pub const SUBNEGOTIATION_LEN_MAX: usize = 1_024;

/// The most bytes a client may send before its session is ready; real ones need fewer than 200.
pub const NEGOTIATION_LEN_MAX: usize = 8_192;

/// A breach of the protocol by the other end. It ends the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A record without an end in sight.
    #[error("a record is longer than {RECORD_LEN_MAX} bytes")]
    RecordTooLong,
    /// A sub-negotiation without an end in sight.
    #[error("a sub-negotiation is longer than {SUBNEGOTIATION_LEN_MAX} bytes")]
    SubnegotiationTooLong,
    /// A command in the middle of a sub-negotiation.
    #[error("command {0} stands within a sub-negotiation")]
    CommandInSubnegotiation(u8),
    /// More negotiation than any client needs.
    #[error("the negotiation is longer than {NEGOTIATION_LEN_MAX} bytes")]
    NegotiationTooLong,
    /// A TN3270E record shorter than its header.
    #[error("a TN3270E record has {0} bytes: its header alone has 5")]
    HeaderCutShort(usize),
}

/// One thing that the other end said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The data up to IAC EOR, doubling undone.
    Record(Vec<u8>),
    /// WILL, WONT, DO or DONT an option.
    Negotiation(Verb, u8),
    /// Between IAC SB and IAC SE, doubling undone.
    Subnegotiation {
        /// The option it is about.
        option: u8,
        /// The bytes after the option.
        content: Vec<u8>,
    },
    /// Any other command.
    Command(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Data,
    Command,
    Option(Verb),
    Subnegotiation,
    CommandInSubnegotiation,
}

/// Takes bytes apart, however they were cut into packets.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    data: Vec<u8>,
    subnegotiation: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { state: State::Data, data: Vec::new(), subnegotiation: Vec::new() }
    }
}

impl Decoder {
    /// The next whole item; `input` is moved past the bytes used. `None`: more bytes are needed.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Item>, Violation> {
        while !input.is_empty() {
            match self.state {
                State::Data => self.take_data(input)?,
                State::Command => {
                    if let Some(item) = self.end_command(take(input))? {
                        return Ok(Some(item));
                    }
                }
                State::Option(verb) => {
                    self.state = State::Data;
                    return Ok(Some(Item::Negotiation(verb, take(input))));
                }
                State::Subnegotiation => match take(input) {
                    IAC => self.state = State::CommandInSubnegotiation,
                    byte => self.keep_in_subnegotiation(byte)?,
                },
                State::CommandInSubnegotiation => match take(input) {
                    IAC => self.keep_in_subnegotiation(IAC)?,
                    SE => {
                        self.state = State::Data;
                        if let Some(item) = self.end_subnegotiation() {
                            return Ok(Some(item));
                        }
                    }
                    other => return Err(Violation::CommandInSubnegotiation(other)),
                },
            }
        }
        Ok(None)
    }

    /// Data since the last record's end: a record in the making, or text of a client that knows no records.
    pub fn unfinished(&self) -> &[u8] {
        &self.data
    }

    /// The same, taken away.
    pub fn take_unfinished(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.data)
    }

    fn take_data(&mut self, input: &mut &[u8]) -> Result<(), Violation> {
        let len = input.iter().position(|&byte| byte == IAC).unwrap_or(input.len());
        let (data, rest) = input.split_at(len);
        self.keep(data)?;
        *input = rest;
        if !input.is_empty() {
            take(input);
            self.state = State::Command;
        }
        Ok(())
    }

    fn keep(&mut self, data: &[u8]) -> Result<(), Violation> {
        if self.data.len() + data.len() > RECORD_LEN_MAX {
            return Err(Violation::RecordTooLong);
        }
        self.data.extend_from_slice(data);
        Ok(())
    }

    fn end_command(&mut self, code: u8) -> Result<Option<Item>, Violation> {
        self.state = State::Data;
        match code {
            IAC => self.keep(&[IAC])?,
            EOR => return Ok(Some(Item::Record(self.take_unfinished()))),
            SB => self.state = State::Subnegotiation,
            _ => match Verb::of(code) {
                Some(verb) => self.state = State::Option(verb),
                None => return Ok(Some(Item::Command(code))),
            },
        }
        Ok(None)
    }

    fn keep_in_subnegotiation(&mut self, byte: u8) -> Result<(), Violation> {
        if self.subnegotiation.len() == SUBNEGOTIATION_LEN_MAX {
            return Err(Violation::SubnegotiationTooLong);
        }
        self.state = State::Subnegotiation;
        self.subnegotiation.push(byte);
        Ok(())
    }

    fn end_subnegotiation(&mut self) -> Option<Item> {
        let bytes = std::mem::take(&mut self.subnegotiation);
        let (&option, content) = bytes.split_first()?;
        Some(Item::Subnegotiation { option, content: content.to_vec() })
    }
}

fn take(input: &mut &[u8]) -> u8 {
    let (&first, rest) = input.split_first().unwrap_or((&0, &[]));
    *input = rest;
    first
}

/// Appends data with each FF doubled.
fn put_doubled(out: &mut Vec<u8>, data: &[u8]) {
    for part in data.split_inclusive(|&byte| byte == IAC) {
        out.extend_from_slice(part);
        if part.ends_with(&[IAC]) {
            out.push(IAC);
        }
    }
}

/// Appends a record: its header (empty outside TN3270E), its data, its end.
pub fn put_record(out: &mut Vec<u8>, header: &[u8], data: &[u8]) {
    out.reserve(header.len() + data.len() + 2);
    put_doubled(out, header);
    put_doubled(out, data);
    out.extend([IAC, EOR]);
}

/// Appends lines of plain text for a client that is not (yet) a 3270; the network's line end is CR LF.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    for line in text.lines() {
        put_doubled(out, line.as_bytes());
        out.extend(b"\r\n");
    }
}

pub(super) fn put_negotiation(out: &mut Vec<u8>, verb: Verb, option: u8) {
    out.extend([IAC, verb.code(), option]);
}

pub(super) fn put_subnegotiation(out: &mut Vec<u8>, option: u8, content: &[u8]) {
    out.extend([IAC, SB, option]);
    put_doubled(out, content);
    out.extend([IAC, SE]);
}
