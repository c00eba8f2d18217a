//! The conversation up to a session.

use super::{Ending, Event, Request, Server, SessionKind, StartTls, State};
use crate::telnet::code::{Verb, option};
use crate::telnet::device::{DeviceKind, DeviceType};
use crate::telnet::framing::put_subnegotiation;
use crate::telnet::tn3270e::{Message, RequestedLu, lu_name};

/// The message to a client that is not a 3270.
pub(super) const NOT_A_3270: &str =
    "This is a TN3270 server: it serves 3270 terminals and their emulators only.";
/// The message to a client that must use TLS, and will not.
const TLS_REQUIRED: &str = "This TN3270 server speaks TLS only, and the client has refused it.";

/// TERMINAL-TYPE's words.
const TERMINAL_TYPE_IS: u8 = 0;
const TERMINAL_TYPE_SEND: u8 = 1;
/// START-TLS's only word.
pub(super) const TLS_FOLLOWS: u8 = 1;

/// A client's answers about the options that make plain TN3270.
#[derive(Debug, Default)]
pub(super) struct Agreed {
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

/// Both ends say FOLLOWS, in either order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TlsAgreed {
    ours: bool,
    pub(super) theirs: bool,
}

impl Server {
    pub(super) fn take_negotiation(&mut self, verb: Verb, option: u8) {
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

    pub(super) fn take_tls(&mut self, note: impl FnOnce(&mut TlsAgreed)) {
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

    pub(super) fn take_tn3270e(&mut self, message: Message) {
        match (message, self.state) {
            (Message::DeviceTypeRequest { device, lu }, State::AskedDevice) => {
                self.ask_owner(Request { device, lu }, true);
            }
            (Message::FunctionsRequest(asked), State::AskedFunctions) => {
                let common = asked.common(self.offered());
                if common == asked {
                    self.say_tn3270e(&Message::FunctionsIs(asked));
                    self.begin(SessionKind::Enhanced(asked));
                } else {
                    self.say_tn3270e(&Message::FunctionsRequest(common));
                }
            }
            (Message::FunctionsIs(agreed), State::AskedFunctions) => {
                self.begin(SessionKind::Enhanced(agreed.common(self.offered())));
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

    pub(super) fn take_terminal_type(&mut self, content: &[u8]) {
        let (Some((&TERMINAL_TYPE_IS, name)), State::AskedTerminalType) = (content.split_first(), self.state)
        else {
            return;
        };
        // The name an emulator asks for follows an @.
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

    pub(super) fn look_whether_agreed(&mut self) {
        if self.agreed.all() {
            self.begin(SessionKind::Plain);
        }
    }

    pub(super) fn greet(&mut self) {
        match self.offer.tn3270e {
            true => {
                self.say(Verb::Do, option::TN3270E);
                self.state = State::AskedTn3270e;
            }
            false => self.ask_terminal_type(),
        }
    }

    pub(super) fn ask_terminal_type(&mut self) {
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

    pub(super) fn ask_owner(&mut self, request: Request, enhanced: bool) {
        self.requests += 1;
        self.device = Some(request.device.clone());
        self.state = State::Deciding(enhanced);
        self.events.push_back(Event::Request(request));
    }
}
