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

use std::collections::VecDeque;

use super::bind::{Bind, PresentationSize};
use super::code::{Verb, command, option};
use super::device::{DeviceKind, DeviceType};
use super::framing::{Decoder, Item, Violation, put_negotiation, put_record, put_subnegotiation, put_text};
use super::tn3270e::{
    DataType, Function, Functions, Header, Message, Outcome, Reject, RequestedLu, lu_name, request_flag,
    response_flag,
};
use crate::datastream::{self, Size};

/// The most bytes a client may send before its session is ready; real ones need fewer than 200.
pub const NEGOTIATION_LEN_MAX: usize = 8_192;

/// How often a client may ask for a device type and a name: each refusal invites another try.
pub const REQUESTS_MAX: u32 = 16;

/// What a client that is no 3270 is told.
const NOT_A_3270: &str = "This is a TN3270 server: it serves 3270 terminals and their emulators only.";
/// What a client that must use TLS, and will not, is told.
const TLS_REQUIRED: &str = "This TN3270 server speaks TLS only, and the client has refused it.";

/// TERMINAL-TYPE's words.
const TERMINAL_TYPE_IS: u8 = 0;
const TERMINAL_TYPE_SEND: u8 = 1;
/// START-TLS's only word.
const TLS_FOLLOWS: u8 = 1;
/// Sequence numbers are 15 bits.
const SEQUENCE_MAX: u16 = 0x7FFF;
/// In a request header from the terminal: the ATTN key, once contention resolution is agreed.
const SIGNAL: u8 = 0x04;

/// Whether TLS is begun by negotiation (option 46), on a connection that began in clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartTls {
    /// It is not spoken of.
    #[default]
    Never,
    /// It is used with clients that can.
    Offered,
    /// Clients that refuse it are refused.
    Required,
}

/// What the region's end is ready to agree to.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Whether TN3270E is offered; without it clients are asked for plain TN3270.
    pub tn3270e: bool,
    /// Functions of TN3270E that are agreed to when a client asks for them.
    pub functions: Functions,
    /// TLS by negotiation.
    pub start_tls: StartTls,
    /// The name of the application in a BIND: EBCDIC, at most eight bytes.
    pub application: Vec<u8>,
}

impl Default for Offer {
    fn default() -> Self {
        Self {
            tn3270e: true,
            functions: Functions::DISPLAY,
            start_tls: StartTls::Never,
            application: Vec::new(),
        }
    }
}

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its device type.
    pub device: DeviceType,
    /// The name it wants, if it wants one.
    pub lu: Option<RequestedLu>,
}

/// Which protocol was agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// TN3270: terminal type, binary, end of record.
    Plain,
    /// TN3270E with these functions.
    Enhanced(Functions),
}

impl SessionKind {
    /// Whether a function of TN3270E was agreed.
    pub fn has(self, function: Function) -> bool {
        matches!(self, SessionKind::Enhanced(functions) if functions.has(function))
    }
}

/// Why the connection has to be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ending {
    /// An ordinary telnet client, or no telnet at all. It has been sent a text.
    #[error("the client is no 3270: {0}")]
    NotA3270(String),
    /// The client breaks the protocol.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// The client takes back what makes it a 3270.
    #[error("the client has left 3270 mode")]
    LeftMode,
    /// The client was refused. It has been sent the text.
    #[error("refused: {0}")]
    Refused(String),
    /// The client will not use TLS. It has been sent a text.
    #[error("the client refuses TLS")]
    TlsRefused,
}

/// What happens on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// TLS begins: let it, then call [`Server::tls_established`].
    StartTls,
    /// A client asks for a terminal: answer with [`Server::assign`] or [`Server::refuse`].
    Request(Request),
    /// The session is ready: records may be sent.
    Ready(SessionKind),
    /// A record from the terminal: a 3270 data stream, AID first.
    Record(Vec<u8>),
    /// The terminal's answer to a record that asked for one.
    Response {
        /// The number that [`Server::send`] gave.
        sequence: u16,
        /// What the terminal made of the record.
        outcome: Outcome,
    },
    /// The ATTN key.
    Attention,
    /// The SYSREQ key.
    SystemRequest,
    /// The client is alive: its answer to [`Server::ask_timing_mark`].
    TimingMark,
    /// Nothing more will happen; send what is to be sent and close.
    Ended(Ending),
}

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

/// What a client has said of the options that make plain TN3270.
#[derive(Debug, Default)]
struct Agreed {
    /// It will send binary, and records.
    will: [bool; 2],
    /// It wants to be sent binary, and records.
    wants: [bool; 2],
    /// It has offered its terminal type.
    terminal_type: bool,
}

impl Agreed {
    fn note(&mut self, verb: Verb, option: u8) {
        let side = usize::from(option == option::END_OF_RECORD);
        match verb {
            Verb::Will => self.will[side] = true,
            Verb::Do => self.wants[side] = true,
            Verb::Wont => self.will[side] = false,
            Verb::Dont => self.wants[side] = false,
        }
    }

    fn all(&self) -> bool {
        self.will == [true; 2] && self.wants == [true; 2]
    }
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
    refused: Option<String>,
    sequence: u16,
}

/// Both ends say FOLLOWS, in either order.
#[derive(Debug, Default, PartialEq, Eq)]
struct TlsAgreed {
    ours: bool,
    theirs: bool,
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

    /// What is to be sent: take from its front what was sent.
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Whether records may be sent.
    pub fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    /// TLS stands: the negotiation begins anew within it.
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

    /// Refuses the client what it asked for. Under TN3270E it may ask again; otherwise it is shown the text, in ASCII.
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
        let State::Ready(kind) = self.state else { return None };
        let SessionKind::Enhanced(_) = kind else {
            put_record(&mut self.output, &[], stream);
            return None;
        };
        let mut header = Header::new(DataType::Data3270);
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

    /// Ends the session: a bound terminal is told so.
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
            Item::Command(command::AO) if self.is_ready() => self.events.push_back(Event::SystemRequest),
            Item::Subnegotiation { .. } | Item::Command(_) => {}
        }
    }

    fn take_negotiation(&mut self, verb: Verb, option: u8) {
        match option {
            option::START_TLS => self.take_start_tls(verb),
            option::TN3270E => self.take_tn3270e_wish(verb),
            option::TERMINAL_TYPE => self.take_terminal_type_wish(verb),
            option::BINARY | option::END_OF_RECORD => self.take_mode(verb, option),
            option::TIMING_MARK => match verb {
                Verb::Will | Verb::Wont => self.events.push_back(Event::TimingMark),
                Verb::Do => self.say(Verb::Will, option),
                Verb::Dont => {}
            },
            _ => self.say_no(verb, option),
        }
    }

    fn take_start_tls(&mut self, verb: Verb) {
        match (verb, self.state) {
            (Verb::Will, State::AskedTls) => {
                put_subnegotiation(&mut self.output, option::START_TLS, &[TLS_FOLLOWS]);
                self.take_tls(|tls| tls.ours = true);
            }
            (Verb::Wont, State::AskedTls) if self.offer.start_tls == StartTls::Required => {
                self.end_with_text(Ending::TlsRefused, TLS_REQUIRED);
            }
            (Verb::Wont, State::AskedTls) => self.greet(),
            _ => self.say_no(verb, option::START_TLS),
        }
    }

    fn take_tls(&mut self, note: impl FnOnce(&mut TlsAgreed)) {
        let Some(tls) = self.tls.as_mut().filter(|_| self.state == State::AskedTls) else { return };
        note(tls);
        if *tls == (TlsAgreed { ours: true, theirs: true }) {
            self.state = State::TlsHandshake;
            self.events.push_back(Event::StartTls);
        }
    }

    fn take_tn3270e_wish(&mut self, verb: Verb) {
        match (verb, self.state) {
            (Verb::Will, State::AskedTn3270e) => {
                self.say_tn3270e(&Message::SendDeviceType);
                self.state = State::AskedDevice;
            }
            (Verb::Wont, State::AskedTn3270e) => self.ask_terminal_type(),
            (Verb::Wont, State::AskedDevice | State::AskedFunctions) => {
                self.say(Verb::Dont, option::TN3270E);
                match self.refused.take() {
                    // It asked for something it cannot have: nothing else will do instead.
                    Some(text) => self.end_with_text(Ending::Refused(text.clone()), &text),
                    None => self.ask_terminal_type(),
                }
            }
            (Verb::Wont, State::Ready(SessionKind::Enhanced(_))) => self.end(Ending::LeftMode),
            (Verb::Do, _) => self.say_no(verb, option::TN3270E),
            _ => {}
        }
    }

    fn take_tn3270e(&mut self, message: Message) {
        match (message, self.state) {
            (Message::DeviceTypeRequest { device, lu }, State::AskedDevice) => {
                self.ask_owner(Request { device, lu }, true);
            }
            (Message::FunctionsRequest(asked), State::AskedFunctions) => {
                let common = asked.common(self.offer.functions);
                if common == asked {
                    self.say_tn3270e(&Message::FunctionsIs(asked));
                    self.begin(SessionKind::Enhanced(asked));
                } else {
                    self.say_tn3270e(&Message::FunctionsRequest(common));
                }
            }
            (Message::FunctionsIs(agreed), State::AskedFunctions) => {
                self.begin(SessionKind::Enhanced(agreed.common(self.offer.functions)));
            }
            _ => {}
        }
    }

    fn take_terminal_type_wish(&mut self, verb: Verb) {
        match (verb, self.state) {
            (Verb::Will, State::AskedTerminalType) if !self.agreed.terminal_type => {
                self.agreed.terminal_type = true;
                self.ask_type_name();
            }
            (Verb::Will, _) => self.agreed.terminal_type = true,
            (Verb::Wont, State::AskedTerminalType) => {
                self.end_with_text(Ending::NotA3270("it has no terminal type".into()), NOT_A_3270);
            }
            (Verb::Do, _) => self.say_no(verb, option::TERMINAL_TYPE),
            _ => {}
        }
    }

    fn take_terminal_type(&mut self, content: &[u8]) {
        let (Some((&TERMINAL_TYPE_IS, name)), State::AskedTerminalType) = (content.split_first(), self.state)
        else {
            return;
        };
        // The name an emulator asks for stands behind an @.
        let mut parts = name.splitn(2, |&byte| byte == b'@');
        let device = DeviceType::new(&String::from_utf8_lossy(parts.next().unwrap_or_default()));
        let lu = parts.next().map(|name| RequestedLu::Connect(lu_name(name)));
        if device.kind() != DeviceKind::Other {
            self.ask_owner(Request { device, lu }, false);
        } else if self.device.as_ref() == Some(&device) {
            // A client repeats its last name when it has no more.
            self.end_with_text(Ending::NotA3270(format!("terminal type {device}")), NOT_A_3270);
        } else {
            self.device = Some(device);
            self.ask_type_name();
        }
    }

    fn take_mode(&mut self, verb: Verb, option: u8) {
        self.agreed.note(verb, option);
        let refused = matches!(verb, Verb::Wont | Verb::Dont);
        match self.state {
            State::AskedOptions if refused => {
                self.end_with_text(Ending::NotA3270("it refuses binary records".into()), NOT_A_3270);
            }
            State::AskedOptions => self.look_whether_agreed(),
            State::Ready(SessionKind::Plain) if refused => self.end(Ending::LeftMode),
            _ => {}
        }
    }

    fn look_whether_agreed(&mut self) {
        if self.agreed.all() {
            self.begin(SessionKind::Plain);
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
            _ => {}
        }
    }

    fn greet(&mut self) {
        match self.offer.tn3270e {
            true => {
                self.say(Verb::Do, option::TN3270E);
                self.state = State::AskedTn3270e;
            }
            false => self.ask_terminal_type(),
        }
    }

    fn ask_terminal_type(&mut self) {
        self.state = State::AskedTerminalType;
        self.say(Verb::Do, option::TERMINAL_TYPE);
        if self.agreed.terminal_type {
            // It has offered its type unasked and need not answer the DO.
            self.ask_type_name();
        }
    }

    fn ask_type_name(&mut self) {
        put_subnegotiation(&mut self.output, option::TERMINAL_TYPE, &[TERMINAL_TYPE_SEND]);
    }

    fn ask_owner(&mut self, request: Request, enhanced: bool) {
        self.requests += 1;
        self.device = Some(request.device.clone());
        self.state = State::Deciding(enhanced);
        self.events.push_back(Event::Request(request));
    }

    fn begin(&mut self, kind: SessionKind) {
        self.state = State::Ready(kind);
        if kind.has(Function::BindImage) {
            // Before anything else: x3270 drops data until it is bound.
            let bind = Bind { size: self.presentation_size(), application: self.offer.application.clone() };
            put_record(&mut self.output, &Header::new(DataType::BindImage).bytes(), &bind.write());
        }
        self.events.push_back(Event::Ready(kind));
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
