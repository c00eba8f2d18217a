//! A whole terminal without a socket: the telnet [`Client`] joined to a [`Screen`].
//!
//! Bytes from the region go in with [`Emulator::receive`]; bytes to send collect in [`Emulator::output`]. A query is
//! answered, a definite response given and a BIND obeyed on the way, so that only the user's actions remain.

use ebcdic::CodePage;

use crate::datastream::{Aid, Capabilities};
use crate::screen::{Refused, Screen};
use crate::telnet::{Client, ClientEvent, Outcome, PresentationSize, Reject, Violation, Wish};

/// A stream that a terminal cannot obey is answered so: operation check.
const OPERATION_CHECK: u8 = 2;

/// A terminal at its end of a connection.
pub struct Emulator {
    client: Client,
    screen: Screen,
    lu: Option<String>,
    rejected: Option<Reject>,
    bound: bool,
    text: String,
    service_text: Vec<u8>,
    errors: Vec<String>,
}

impl Emulator {
    /// A terminal that was just connected.
    pub fn new(wish: Wish, capabilities: Capabilities, code_page: CodePage) -> Self {
        Self {
            client: Client::new(wish),
            screen: Screen::new(capabilities, code_page),
            lu: None,
            rejected: None,
            bound: false,
            text: String::new(),
            service_text: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Bytes that arrived.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        self.client.receive(bytes)?;
        while let Some(event) = self.client.event() {
            self.take(event);
        }
        Ok(())
    }

    /// The bytes to send: remove from the front those that were sent.
    pub fn output(&mut self) -> &mut Vec<u8> {
        self.client.output()
    }

    /// The screen.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// The screen, to type and to move the cursor.
    pub fn screen_mut(&mut self) -> &mut Screen {
        &mut self.screen
    }

    /// A key that calls the region.
    pub fn press(&mut self, aid: Aid) -> Result<(), Refused> {
        let record = self.screen.press(aid)?;
        self.client.send(&record);
        Ok(())
    }

    /// A record that no key of this terminal makes.
    pub fn send(&mut self, record: &[u8]) {
        self.client.send(record);
    }

    /// The ATTN key.
    pub fn attention(&mut self) {
        self.client.attention();
    }

    /// The SYSREQ key.
    pub fn system_request(&mut self) {
        self.client.system_request();
    }

    /// A line for the network's own service, in EBCDIC: between two SYSREQ keys.
    pub fn send_service_text(&mut self, text: &[u8]) {
        self.client.send_service_text(text);
    }

    /// The answers of the network's own service, in EBCDIC.
    pub fn service_text(&self) -> &[u8] {
        &self.service_text
    }

    /// The name that the region gave (TN3270E only).
    pub fn lu(&self) -> Option<&str> {
        self.lu.as_deref()
    }

    /// The region's reason for giving no name.
    pub fn rejected(&self) -> Option<Reject> {
        self.rejected
    }

    /// Returns true if a BIND has begun a session that no UNBIND has ended.
    pub fn is_bound(&self) -> bool {
        self.bound
    }

    /// Plain text that came before any session: the region's reason for a refusal.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The errors found in streams from the region.
    pub fn errors(&self) -> &[String] {
        &self.errors
    }

    fn take(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Assigned(lu) => self.lu = Some(lu),
            ClientEvent::Rejected(reason) => self.rejected = Some(reason),
            ClientEvent::Bound(bind) => {
                self.bound = true;
                if let PresentationSize::Explicit(_, alternate) = bind.size
                    && alternate != self.screen.capabilities().alternate_size
                {
                    self.errors.push(format!("BIND names an alternate size of {alternate:?}"));
                }
            }
            ClientEvent::Unbound => self.bound = false,
            ClientEvent::Text(text) => self.text.push_str(&text),
            ClientEvent::ServiceText(text) => self.service_text.extend(text),
            ClientEvent::Scs { .. } | ClientEvent::EndOfJob => {
                self.errors.push("the region takes this display for a printer".to_owned());
            }
            ClientEvent::Record { data, respond } => self.obey(&data, respond),
        }
    }

    fn obey(&mut self, stream: &[u8], respond: Option<u16>) {
        let outcome = match self.screen.apply(stream) {
            Ok(answer) => {
                if let Some(answer) = answer {
                    self.client.send(&answer);
                }
                Outcome::Positive
            }
            Err(error) => {
                self.errors.push(error.to_string());
                Outcome::Negative(OPERATION_CHECK)
            }
        };
        if let Some(sequence) = respond {
            self.client.respond(sequence, outcome);
        }
    }
}
