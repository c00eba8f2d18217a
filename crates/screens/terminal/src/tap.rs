//! A host whose sessions are listened to: what goes to terminals, and what comes from them.

use std::rc::Rc;

use tn3270::datastream::Capabilities;
use tn3270::telnet::PrinterLanguage;
use tokio::sync::mpsc;

use crate::host::{
    Connected, Disconnect, Form, FromClient, Host, Overrun, Partner, Refusal, Reservation, Session, ToClient,
    Wanted,
};

/// Listens to sessions, by the names of their terminals. It is called on the door's own thread and must not block.
pub trait Tap {
    /// The session of a display begins.
    fn begins(&self, terminal: &str, capabilities: &Capabilities);
    /// A data stream goes to a terminal, command first.
    fn sent(&self, terminal: &str, stream: &[u8]);
    /// A record has come from a terminal, AID first.
    fn received(&self, terminal: &str, record: &[u8]);
}

/// A host, and the tap on its sessions.
pub struct Tapped {
    host: Rc<dyn Host>,
    tap: Rc<dyn Tap>,
}

impl Tapped {
    /// Has a tap listen to the displays of a host.
    pub fn new(host: Rc<dyn Host>, tap: Rc<dyn Tap>) -> Self {
        Self { host, tap }
    }
}

impl Host for Tapped {
    fn reserve(&self, wanted: &Wanted) -> Result<Box<dyn Reservation>, Refusal> {
        let inner = self.host.reserve(wanted)?;
        Ok(Box::new(TappedReservation { inner, tap: Rc::clone(&self.tap) }))
    }
}

struct TappedReservation {
    inner: Box<dyn Reservation>,
    tap: Rc<dyn Tap>,
}

impl Reservation for TappedReservation {
    fn netname(&self) -> &str {
        self.inner.netname()
    }

    fn language(&self) -> PrinterLanguage {
        self.inner.language()
    }

    fn connect(self: Box<Self>, connected: Connected) -> Result<Session, Refusal> {
        let Self { inner, tap } = *self;
        if connected.printer.is_some() {
            return inner.connect(connected);
        }
        let name = inner.netname().to_owned();
        let capabilities = connected.capabilities.clone();
        let Session { terminal, outbound } = inner.connect(connected)?;
        tap.begins(&name, &capabilities);
        let (to_client, taken) = Session::queue();
        tokio::task::spawn_local(relay(name.clone(), Rc::clone(&tap), outbound, to_client));
        Ok(Session { terminal: Box::new(TappedPartner { name, inner: terminal, tap }), outbound: taken })
    }
}

/// Hands on what goes to a client, until either end leaves.
async fn relay(
    name: String,
    tap: Rc<dyn Tap>,
    mut outbound: mpsc::Receiver<ToClient>,
    to_client: mpsc::Sender<ToClient>,
) {
    while let Some(message) = outbound.recv().await {
        if message.form == Form::Stream {
            tap.sent(&name, &message.stream);
        }
        if to_client.send(message).await.is_err() {
            return;
        }
    }
}

struct TappedPartner {
    name: String,
    inner: Box<dyn Partner>,
    tap: Rc<dyn Tap>,
}

impl Partner for TappedPartner {
    fn receive(&mut self, inbound: FromClient) -> Result<(), Overrun> {
        if let FromClient::Record(record) = &inbound {
            self.tap.received(&self.name, record);
        }
        self.inner.receive(inbound)
    }

    fn disconnected(&mut self, why: &Disconnect) {
        self.inner.disconnected(why);
    }
}
