//! The terminal's end of a connection.

use std::collections::VecDeque;

use super::bind::Bind;
use super::code::{Verb, command, option};
use super::device::DeviceType;
use super::framing::{Decoder, Item, Violation, put_negotiation, put_record, put_subnegotiation};
use super::tn3270e::{
    DataType, Function, Functions, Header, Message, Outcome, Reject, RequestedLu, response_flag,
};

/// The wishes of a terminal.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Its device type.
    pub device: DeviceType,
    /// The LU name it wants, if any.
    pub lu: Option<String>,
    /// Functions of TN3270E to ask for; `None`: plain TN3270 only.
    pub functions: Option<Functions>,
}

/// An event on the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// The region gave this name (TN3270E only).
    Assigned(String),
    /// The region refused; it may be asked again on another connection.
    Rejected(Reject),
    /// The session begins.
    Bound(Bind),
    /// The session ends.
    Unbound,
    /// A 3270 data stream, command first.
    Record {
        /// The stream.
        data: Vec<u8>,
        /// Answer with this number, if one is wanted.
        respond: Option<u16>,
    },
    /// SCS for a printer.
    Scs {
        /// The text and its controls.
        data: Vec<u8>,
        /// Answer with this number, if one is wanted.
        respond: Option<u16>,
    },
    /// A printer's job is complete.
    EndOfJob,
    /// Text of the network's own service, in EBCDIC.
    ServiceText(Vec<u8>),
    /// Text of a region that has not begun a session.
    Text(String),
}

/// The terminal's end of one connection.
#[derive(Debug)]
pub struct Client {
    wish: Wish,
    decoder: Decoder,
    output: Vec<u8>,
    events: VecDeque<ClientEvent>,
    enhanced: bool,
    functions: Functions,
    said: Vec<(Verb, u8)>,
}

impl Client {
    /// A connection that was just made.
    pub fn new(wish: Wish) -> Self {
        Self {
            wish,
            decoder: Decoder::default(),
            output: Vec::new(),
            events: VecDeque::new(),
            enhanced: false,
            functions: Functions::default(),
            said: Vec::new(),
        }
    }

    /// Bytes that arrived.
    pub fn receive(&mut self, mut bytes: &[u8]) -> Result<(), Violation> {
        while let Some(item) = self.decoder.next(&mut bytes)? {
            self.take_item(item);
        }
        if !self.enhanced && !self.in_record_mode() && !self.decoder.unfinished().is_empty() {
            let text = String::from_utf8_lossy(&self.decoder.take_unfinished()).into_owned();
            self.events.push_back(ClientEvent::Text(text));
        }
        Ok(())
    }

    /// The next thing that happened.
    pub fn event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// The bytes to send: remove from the front those that were sent.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Sends a 3270 data stream, AID first.
    pub fn send(&mut self, stream: &[u8]) {
        match self.enhanced {
            true => put_record(&mut self.output, &Header::new(DataType::Data3270).bytes(), stream),
            false => put_record(&mut self.output, &[], stream),
        }
    }

    /// Answers a record that asked for it.
    pub fn respond(&mut self, sequence: u16, outcome: Outcome) {
        let (flag, data) = match outcome {
            Outcome::Positive => (response_flag::NONE, 0),
            Outcome::Negative(reason) => (response_flag::ON_ERROR, reason),
        };
        let header = Header { sequence, response_flag: flag, ..Header::new(DataType::Response) };
        put_record(&mut self.output, &header.bytes(), &[data]);
    }

    /// The ATTN key.
    pub fn attention(&mut self) {
        self.output.extend([command::IAC, command::IP]);
    }

    /// The SYSREQ key.
    pub fn system_request(&mut self) {
        self.output.extend([command::IAC, command::AO]);
    }

    /// A line for the network's own service, in EBCDIC.
    pub fn send_service_text(&mut self, text: &[u8]) {
        put_record(&mut self.output, &Header::new(DataType::SscpLuData).bytes(), text);
    }

    /// Says that this printer can print again.
    pub fn clear_error(&mut self) {
        put_record(&mut self.output, &Header::new(DataType::Request).bytes(), &[]);
    }

    fn take_item(&mut self, item: Item) {
        match item {
            Item::Negotiation(verb, option) => self.take_negotiation(verb, option),
            Item::Subnegotiation { option: option::TERMINAL_TYPE, content } if content == [1] => {
                let name = match &self.wish.lu {
                    Some(lu) => format!("{}@{lu}", self.wish.device),
                    None => self.wish.device.to_string(),
                };
                let content = [&[0], name.as_bytes()].concat();
                put_subnegotiation(&mut self.output, option::TERMINAL_TYPE, &content);
            }
            Item::Subnegotiation { option: option::TN3270E, content } => {
                if let Some(message) = Message::read(&content) {
                    self.take_tn3270e(message);
                }
            }
            Item::Record(record) => self.take_record(record),
            Item::Subnegotiation { .. } | Item::Command(_) => {}
        }
    }

    fn take_negotiation(&mut self, verb: Verb, option: u8) {
        let known = match option {
            option::TN3270E => self.wish.functions.is_some(),
            option::TIMING_MARK => {
                return if verb == Verb::Do {
                    self.say(Verb::Will, option)
                };
            }
            option => matches!(option, option::TERMINAL_TYPE | option::BINARY | option::END_OF_RECORD),
        };
        let answer = match (verb, known) {
            (Verb::Do, true) => Some(Verb::Will),
            (Verb::Will, true) => Some(Verb::Do),
            (verb, _) => verb.refusal(),
        };
        if let Some(answer) = answer
            && !self.said.contains(&(answer, option))
        {
            self.said.push((answer, option));
            self.say(answer, option);
        }
    }

    fn take_tn3270e(&mut self, message: Message) {
        match message {
            Message::SendDeviceType => {
                let lu = self.wish.lu.clone().map(RequestedLu::Connect);
                self.say_tn3270e(&Message::DeviceTypeRequest { device: self.wish.device.clone(), lu });
            }
            Message::DeviceTypeIs { lu, .. } => {
                self.enhanced = true;
                self.events.push_back(ClientEvent::Assigned(lu));
                self.say_tn3270e(&Message::FunctionsRequest(self.wish.functions.unwrap_or_default()));
            }
            Message::DeviceTypeReject(reason) => self.events.push_back(ClientEvent::Rejected(reason)),
            Message::FunctionsIs(functions) => self.functions = functions,
            Message::FunctionsRequest(asked) => {
                self.functions = asked.common(self.wish.functions.unwrap_or_default());
                self.say_tn3270e(&Message::FunctionsIs(self.functions));
            }
            Message::DeviceTypeRequest { .. } => {}
        }
    }

    fn take_record(&mut self, record: Vec<u8>) {
        if !self.enhanced {
            return self.events.push_back(ClientEvent::Record { data: record, respond: None });
        }
        let Some((header, data)) = Header::split(&record) else { return };
        match header.data_type {
            DataType::Data3270 | DataType::ScsData => {
                let wanted =
                    header.response_flag == response_flag::ALWAYS && self.functions.has(Function::Responses);
                let (data, respond) = (data.to_vec(), wanted.then_some(header.sequence));
                self.events.push_back(match header.data_type {
                    DataType::ScsData => ClientEvent::Scs { data, respond },
                    _ => ClientEvent::Record { data, respond },
                });
            }
            DataType::PrintEoj => self.events.push_back(ClientEvent::EndOfJob),
            DataType::SscpLuData => self.events.push_back(ClientEvent::ServiceText(data.to_vec())),
            DataType::BindImage => self.events.extend(Bind::read(data).map(ClientEvent::Bound)),
            DataType::Unbind => self.events.push_back(ClientEvent::Unbound),
            _ => {}
        }
    }

    fn in_record_mode(&self) -> bool {
        self.said.contains(&(Verb::Do, option::END_OF_RECORD))
    }

    fn say(&mut self, verb: Verb, option: u8) {
        put_negotiation(&mut self.output, verb, option);
    }

    fn say_tn3270e(&mut self, message: &Message) {
        put_subnegotiation(&mut self.output, option::TN3270E, &message.write());
    }
}
