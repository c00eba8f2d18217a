//! The region's end of a connection.
//!
//! ```text
//!            WILL               REQUEST          assign           REQUEST
//! DO TN3270E ────► SEND DEVICE-TYPE ────► Request ────► DEVICE-TYPE IS ────► FUNCTIONS IS, BIND ─► Ready
//!      │ WONT                               ▲  │ refuse: REJECT, ask again
//!      ▼             WILL            IS     │  │ assign                        all agreed
//! DO TERMINAL-TYPE ────► SEND ──────────────┘  └──► DO EOR WILL EOR DO BINARY WILL BINARY ─► Ready
//!      │ WONT, or no 3270
//!      ▼
//!  a text, Ended
//! ```
//!
//! Each rule about order here is one without which some real client fails: see the crate's README.

mod event;
mod negotiation;

use std::collections::VecDeque;

pub use event::{Ending, Event, Offer, Request, SessionKind, StartTls};
use negotiation::{Agreed, NOT_A_3270, TLS_FOLLOWS, TlsAgreed};

use super::bind::{Bind, LogicalUnit, PresentationSize};
use super::code::{Verb, command, option};
use super::device::{DeviceKind, DeviceType, PrinterLanguage};
use super::framing::{
    Decoder, Item, NEGOTIATION_LEN_MAX, Violation, put_negotiation, put_record, put_subnegotiation, put_text,
};
use super::tn3270e::{
    DataType, Function, Functions, Header, Message, Outcome, Reject, lu_name, request_flag, response_flag,
};
use crate::datastream::{self, Size};

/// The number of times a client may ask for a device type and a name: each refusal invites another try.
pub const REQUESTS_MAX: u32 = 16;

/// Sequence numbers are 15 bits.
const SEQUENCE_MAX: u16 = 0x7FFF;
/// In a request header from the terminal: the ATTN key, once contention resolution is agreed.
const SIGNAL: u8 = 0x04;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// DO START-TLS is sent.
    AskedTls,
    /// TLS itself is being set up.
    TlsHandshake,
    /// DO TN3270E is sent.
    AskedTn3270e,
    /// SEND DEVICE-TYPE is sent, or a REJECT.
    AskedDevice,
    /// The owner decides about a request; `true` under TN3270E.
    Deciding(bool),
    /// DEVICE-TYPE IS is sent.
    AskedFunctions,
    /// DO TERMINAL-TYPE is sent.
    AskedTerminalType,
    /// EOR and BINARY are proposed.
    AskedOptions,
    Ready(SessionKind),
    Ended,
}

/// The region's end of one connection.
#[derive(Debug)]
pub struct Server {
    offer: Offer,
    state: State,
    decoder: Decoder,
    input: Vec<u8>,
    input_used: usize,
    output: Vec<u8>,
    events: VecDeque<Event>,
    negotiation_len: usize,
    requests: u32,
    agreed: Agreed,
    tls: Option<TlsAgreed>,
    device: Option<DeviceType>,
    language: PrinterLanguage,
    refused: Option<String>,
    sequence: u16,
}

impl Server {
    /// A connection that was just made; its first bytes are already in the output.
    pub fn new(offer: Offer) -> Self {
        let mut server = Self {
            state: State::AskedTls,
            decoder: Decoder::default(),
            input: Vec::new(),
            input_used: 0,
            output: Vec::new(),
            events: VecDeque::new(),
            negotiation_len: 0,
            requests: 0,
            agreed: Agreed::default(),
            tls: None,
            device: None,
            language: PrinterLanguage::default(),
            refused: None,
            sequence: 0,
            offer,
        };
        match server.offer.start_tls {
            StartTls::Never => server.greet(),
            StartTls::Offered | StartTls::Required => {
                server.tls = Some(TlsAgreed::default());
                server.say(Verb::Do, option::START_TLS);
            }
        }
        server
    }

    /// Bytes that arrived.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.input_used == self.input.len() {
            self.input.clear();
            self.input_used = 0;
        }
        self.input.extend_from_slice(bytes);
    }

    /// The next thing that happened; `None` when more bytes are needed, or an answer to the last event.
    pub fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if matches!(self.state, State::Deciding(_) | State::TlsHandshake | State::Ended) {
                return None;
            }
            match self.next_item() {
                Ok(Some(item)) => self.take_item(item),
                Ok(None) => return self.events.pop_front(),
                Err(violation) => self.end(violation.into()),
            }
        }
    }

    /// The bytes to send: remove from the front those that were sent.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Returns true if records may be sent.
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// Notes that TLS is established: the negotiation starts again within it.
    pub fn tls_established(&mut self) {
        if self.state == State::TlsHandshake {
            self.decoder = Decoder::default();
            self.input.clear();
            self.input_used = 0;
            self.greet();
        }
    }

    /// Gives the client that asked the terminal of this name.
    pub fn assign(&mut self, lu: &str) {
        let State::Deciding(enhanced) = self.state else { return };
        let Some(device) = self.device.clone() else { return };
        if enhanced {
            // Always with CONNECT: Galasa reads up to it.
            self.say_tn3270e(&Message::DeviceTypeIs { device, lu: lu_name(lu.as_bytes()) });
            self.state = State::AskedFunctions;
            return;
        }
        // In adjacent pairs and in this order: Galasa knows no other.
        for option in [option::END_OF_RECORD, option::BINARY] {
            self.say(Verb::Do, option);
            self.say(Verb::Will, option);
        }
        self.state = State::AskedOptions;
        self.look_whether_agreed();
    }

    /// Chooses the language for the printer that asks, if it can take it. To be called before [`Self::assign`].
    pub fn prefer(&mut self, language: PrinterLanguage) {
        self.language = language;
    }

    /// The language that the client is sent if it is a printer; `None` for a display, and before the session is ready.
    pub fn printer(&self) -> Option<PrinterLanguage> {
        (self.is_ready() && self.is_printer()).then_some(self.language)
    }

    /// Returns true if a function of TN3270E is agreed.
    pub fn has(&self, function: Function) -> bool {
        matches!(self.state, State::Ready(kind) if kind.has(function))
    }

    /// Refuses the client's request. Under TN3270E it may ask again; otherwise it is shown the text, in ASCII.
    pub fn refuse(&mut self, reason: Reject, text: &str) {
        let State::Deciding(enhanced) = self.state else { return };
        if enhanced && self.requests < REQUESTS_MAX {
            self.say_tn3270e(&Message::DeviceTypeReject(reason));
            self.refused = Some(text.to_string());
            self.state = State::AskedDevice;
        } else {
            self.end_with_text(Ending::Refused(text.to_string()), text);
        }
    }

    /// Tells a client that has no session yet why it gets none, in plain text.
    pub fn turn_away(&mut self, text: &str) {
        if !self.is_ready() && self.state != State::Ended {
            self.end_with_text(Ending::Refused(text.to_string()), text);
        }
    }

    /// Sends a 3270 data stream, command first. The number is that of the answer to expect, when one is wanted and
    /// the terminal has agreed to give answers.
    pub fn send(&mut self, stream: &[u8], wants_response: bool) -> Option<u16> {
        self.send_as(DataType::Data3270, stream, wants_response)
    }

    /// Sends SCS to a printer that takes it. The number is as that of [`Self::send`].
    pub fn send_scs(&mut self, text: &[u8], wants_response: bool) -> Option<u16> {
        self.send_as(DataType::ScsData, text, wants_response)
    }

    /// Tells a printer that the data sent since the last time belong together, and are complete.
    pub fn end_print_job(&mut self) {
        if self.has(Function::DataStreamControl) || self.has(Function::ScsControlCodes) {
            self.send_as(DataType::PrintEoj, &[], false);
        }
    }

    /// Sends text of the network's own service, in EBCDIC: between two SYSREQ keys only.
    pub fn send_service_text(&mut self, text: &[u8]) {
        if self.has(Function::SystemRequest) {
            put_record(&mut self.output, &Header::new(DataType::SscpLuData).bytes(), text);
        }
    }

    fn send_as(&mut self, data_type: DataType, stream: &[u8], wants_response: bool) -> Option<u16> {
        let State::Ready(kind) = self.state else { return None };
        let SessionKind::Enhanced(_) = kind else {
            put_record(&mut self.output, &[], stream);
            return None;
        };
        let mut header = Header::new(data_type);
        if kind.has(Function::Responses) {
            header.sequence = self.sequence;
            self.sequence = if self.sequence == SEQUENCE_MAX { 0 } else { self.sequence + 1 };
            if wants_response {
                header.response_flag = response_flag::ALWAYS;
            }
        }
        if kind.has(Function::ContentionResolution) {
            // Without these a client that takes turns would keep its input back.
            header.request_flag = request_flag::SEND_DATA;
            if datastream::restores_keyboard(stream) {
                header.request_flag |= request_flag::KEYBOARD_RESTORE;
            }
        }
        put_record(&mut self.output, &header.bytes(), stream);
        (header.response_flag == response_flag::ALWAYS).then_some(header.sequence)
    }

    /// Asks a client that has been silent whether it lives.
    pub fn ask_timing_mark(&mut self) {
        self.say(Verb::Do, option::TIMING_MARK);
    }

    /// Ends the session: a bound terminal gets an UNBIND.
    pub fn unbind(&mut self) {
        if let State::Ready(kind) = self.state {
            if kind.has(Function::BindImage) {
                // Reason 01: a normal end.
                put_record(&mut self.output, &Header::new(DataType::Unbind).bytes(), &[0x01]);
            }
            self.state = State::Ended;
        }
    }

    fn next_item(&mut self) -> Result<Option<Item>, Violation> {
        let mut rest = &self.input[self.input_used..];
        let len = rest.len();
        let item = self.decoder.next(&mut rest)?;
        let used = len - rest.len();
        self.input_used += used;
        if !self.is_ready() {
            self.negotiation_len += used;
            if self.negotiation_len > NEGOTIATION_LEN_MAX {
                return Err(Violation::NegotiationTooLong);
            }
            if !self.decoder.unfinished().is_empty() {
                self.end_with_text(Ending::NotA3270("it sends plain text".into()), NOT_A_3270);
                return Ok(None);
            }
        }
        Ok(item)
    }

    fn take_item(&mut self, item: Item) {
        match item {
            Item::Negotiation(verb, option) => self.take_negotiation(verb, option),
            Item::Subnegotiation { option: option::TN3270E, content } => {
                if let Some(message) = Message::read(&content) {
                    self.take_tn3270e(message);
                }
            }
            Item::Subnegotiation { option: option::TERMINAL_TYPE, content } => {
                self.take_terminal_type(&content);
            }
            Item::Subnegotiation { option: option::START_TLS, content } if content == [TLS_FOLLOWS] => {
                self.take_tls(|tls| tls.theirs = true);
            }
            Item::Record(record) => self.take_record(record),
            Item::Command(command::IP | command::BRK) if self.is_ready() => {
                self.events.push_back(Event::Attention);
            }
            Item::Command(command::AO) if self.has(Function::SystemRequest) => {
                self.events.push_back(Event::SystemRequest);
            }
            Item::Subnegotiation { .. } | Item::Command(_) => {}
        }
    }

    fn take_record(&mut self, record: Vec<u8>) {
        match self.state {
            State::Ready(SessionKind::Plain) if !record.is_empty() => {
                self.events.push_back(Event::Record(record));
            }
            State::Ready(SessionKind::Enhanced(_)) if record.len() < Header::LEN => {
                self.end(Violation::HeaderCutShort(record.len()).into());
            }
            State::Ready(SessionKind::Enhanced(_)) => self.take_enhanced(&record),
            _ => {}
        }
    }

    fn take_enhanced(&mut self, record: &[u8]) {
        let Some((header, data)) = Header::split(record) else { return };
        match header.data_type {
            DataType::Data3270 if !data.is_empty() => self.events.push_back(Event::Record(data.to_vec())),
            DataType::Response => {
                let outcome = match (header.response_flag, data.first()) {
                    (response_flag::ON_ERROR, reason) => Outcome::Negative(reason.copied().unwrap_or(0)),
                    _ => Outcome::Positive,
                };
                self.events.push_back(Event::Response { sequence: header.sequence, outcome });
            }
            DataType::Request if header.request_flag & SIGNAL != 0 => {
                self.events.push_back(Event::Attention);
            }
            DataType::Request if self.is_printer() => self.events.push_back(Event::ErrorCleared),
            DataType::SscpLuData if self.has(Function::SystemRequest) => {
                self.events.push_back(Event::ServiceText(data.to_vec()));
            }
            _ => {}
        }
    }

    fn begin(&mut self, kind: SessionKind) {
        self.state = State::Ready(kind);
        self.language = self.agreed_language(kind);
        if kind.has(Function::BindImage) {
            // Before anything else: x3270 drops data until it is bound.
            let unit = match self.printer() {
                None => LogicalUnit::Display,
                Some(PrinterLanguage::DataStream) => LogicalUnit::Printer3270,
                Some(PrinterLanguage::Scs) => LogicalUnit::ScsPrinter,
            };
            let (size, application) = (self.presentation_size(), self.offer.application.clone());
            let bind = Bind { unit, size, application };
            put_record(&mut self.output, &Header::new(DataType::BindImage).bytes(), &bind.write());
        }
        self.events.push_back(Event::Ready(kind));
    }

    /// The language that is preferred if it is agreed, else the other one if that is.
    fn agreed_language(&self, kind: SessionKind) -> PrinterLanguage {
        let can = |language| {
            kind.has(match language {
                PrinterLanguage::DataStream => Function::DataStreamControl,
                PrinterLanguage::Scs => Function::ScsControlCodes,
            })
        };
        match self.language {
            PrinterLanguage::Scs if !can(PrinterLanguage::Scs) => PrinterLanguage::DataStream,
            PrinterLanguage::DataStream if !can(PrinterLanguage::DataStream) && can(PrinterLanguage::Scs) => {
                PrinterLanguage::Scs
            }
            preferred => preferred,
        }
    }

    fn is_printer(&self) -> bool {
        self.device.as_ref().is_some_and(|device| device.kind() == DeviceKind::Printer)
    }

    /// The functions that this client may have.
    fn offered(&self) -> Functions {
        if self.is_printer() { self.offer.printer_functions } else { self.offer.functions }
    }

    fn presentation_size(&self) -> PresentationSize {
        match &self.device {
            Some(device) if !device.is_extended() => {
                PresentationSize::Explicit(Size::MODEL_2, device.alternate_size())
            }
            _ => PresentationSize::Queried,
        }
    }

    fn say(&mut self, verb: Verb, option: u8) {
        put_negotiation(&mut self.output, verb, option);
    }

    fn say_no(&mut self, verb: Verb, option: u8) {
        if let Some(refusal) = verb.refusal() {
            self.say(refusal, option);
        }
    }

    fn say_tn3270e(&mut self, message: &Message) {
        put_subnegotiation(&mut self.output, option::TN3270E, &message.write());
    }

    fn end_with_text(&mut self, ending: Ending, text: &str) {
        put_text(&mut self.output, text);
        self.end(ending);
    }

    fn end(&mut self, ending: Ending) {
        self.state = State::Ended;
        self.events.push_back(Event::Ended(ending));
    }
}
