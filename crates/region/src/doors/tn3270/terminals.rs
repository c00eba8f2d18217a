//! Between the TN3270 door and the region's terminals.

use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use bms::ExtendedSet;
use config::BoundLu;
use domains::interval::IntervalControl;
use kernel::name::{Name8, TerminalName};
use kernel::region::Region;
use kernel::security::User;
use kernel::terminal_control::{self, greet};
use kernel::terminals::{
    InstallError, Line, Terminal, TerminalParts, Terminals, UpperCase, keyboard_restore,
};
use parking_lot::Mutex;
use terminal::{
    Caller, Connected, Disconnect, FromClient, Overrun, Refusal, Reservation, Session, ToClient, Wanted,
};
use tn3270::telnet::Reject;
use tokio::sync::mpsc;

use crate::users::Users;

/// Network names that only some clients get.
pub(super) type Bound = HashMap<Name8, BoundLu>;

/// The region as the door sees it.
pub(super) struct TerminalHost {
    pub region: Arc<Region>,
    pub users: Arc<Users>,
    /// Whether a certificate must be somebody's.
    pub certified_only: bool,
    pub upper_case: UpperCase,
    pub bound: Bound,
}

/// Whose certificate a client has shown, and the groups.
type Shown = Option<(User, Vec<String>)>;

impl TerminalHost {
    /// Whether a client may have a network name.
    fn may_have(&self, lu: Name8, peer: SocketAddr, shown: &Shown) -> bool {
        let Some(bound) = self.bound.get(&lu) else { return true };
        let is_user = |(user, groups): &(User, Vec<String>)| {
            bound.users.iter().any(|name| Name8::from(name.as_str()) == user.id)
                || bound.groups.iter().any(|group| groups.contains(group))
        };
        bound.addresses.contains(&peer.ip().to_canonical()) || shown.as_ref().is_some_and(is_user)
    }

    /// Whose certificate a client has shown.
    ///
    /// # Errors
    /// It is nobody's, and must be somebody's.
    fn shown(&self, caller: &Caller) -> Result<Shown, Refusal> {
        let Some(certificate) = &caller.certificate else { return Ok(None) };
        let shown = self.users.of_certificate(certificate);
        if shown.is_none() {
            let peer = caller.peer;
            tracing::warn!(target: "XS", "the certificate of {peer} is no user's: sha256 {certificate}");
            if self.certified_only {
                let text = String::from("This certificate belongs to no user of this region.");
                return Err(Refusal { reason: Reject::DeviceInUse, text });
            }
        }
        Ok(shown)
    }
}

impl terminal::Host for TerminalHost {
    fn reserve(&self, wanted: &Wanted) -> Result<Box<dyn Reservation>, Refusal> {
        let lu = wanted.lu.as_deref().map(Name8::from);
        let shown = self.shown(&wanted.caller)?;
        if let Some(lu) = lu.filter(|lu| !self.may_have(*lu, wanted.caller.peer, &shown)) {
            return Err(Refusal {
                reason: Reject::DeviceInUse,
                text: format!("LU {lu} belongs to somebody else. Ask for another one."),
            });
        }
        let user = shown.map_or_else(
            || Arc::clone(&kernel::security::Users::of(&self.region).default),
            |(user, _)| Arc::new(user),
        );
        match Terminals::of(&self.region).reserve(lu) {
            Ok((name, netname)) => Ok(Box::new(Reserved {
                region: Arc::clone(&self.region),
                user,
                upper_case: self.upper_case,
                name,
                shown: netname.to_string(),
                netname,
                connected: false,
            })),
            Err(InstallError::NameInUse) => Err(Refusal {
                reason: Reject::DeviceInUse,
                text: format!(
                    "LU {} is in use. Ask for another one.",
                    wanted.lu.as_deref().unwrap_or_default()
                ),
            }),
            Err(InstallError::Full) => Err(Refusal {
                reason: Reject::DeviceInUse,
                text: String::from("All terminals of this region are in use. Try again later."),
            }),
        }
    }
}

/// A terminal's name until the client has told what it can do.
struct Reserved {
    region: Arc<Region>,
    user: Arc<User>,
    upper_case: UpperCase,
    name: TerminalName,
    netname: Name8,
    shown: String,
    connected: bool,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if !self.connected {
            Terminals::of(&self.region).remove(self.name);
        }
    }
}

impl Reservation for Reserved {
    fn netname(&self) -> &str {
        &self.shown
    }

    fn connect(mut self: Box<Self>, connected: Connected) -> Result<Session, Refusal> {
        let can = connected.capabilities;
        let parts = TerminalParts {
            default_size: can.default_size,
            alternate_size: can.alternate_size,
            features: ExtendedSet::from(&can),
            peer: connected.caller.peer.to_string(),
            upper_case: self.upper_case,
        };
        let (sender, outbound) = mpsc::channel(Session::OUTBOUND_MAX);
        let user = Arc::clone(&self.user);
        let line = Box::new(Client(Mutex::new(Some(sender))));
        let terminal = Terminal::new(self.name, self.netname, parts, user, line);
        Terminals::of(&self.region).connect(&terminal);
        self.connected = true;
        greet(&self.region, &terminal);
        IntervalControl::of(&self.region).terminal_came(&self.region, terminal.name);
        let at = At { region: Arc::clone(&self.region), terminal };
        domains::transient_data::terminal_came(&at.region, at.terminal.name);
        Ok(Session { terminal: Box::new(at), outbound })
    }
}

/// The queue of what is for a client; it is gone when the region has ended the session.
struct Client(Mutex<Option<mpsc::Sender<ToClient>>>);

impl Client {
    fn sender(&self) -> Option<mpsc::Sender<ToClient>> {
        self.0.lock().clone()
    }
}

impl Line for Client {
    fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        let sender = self.sender();
        Box::pin(async move {
            match sender {
                Some(sender) => sender.send(ToClient::new(stream)).await.is_ok(),
                None => false,
            }
        })
    }

    fn try_send(&self, stream: Vec<u8>) -> bool {
        self.sender().is_some_and(|sender| sender.try_send(ToClient::new(stream)).is_ok())
    }

    fn close(&self) {
        self.0.lock().take();
    }
}

/// A connected terminal as the door calls it.
struct At {
    region: Arc<Region>,
    terminal: Arc<Terminal>,
}

impl terminal::Partner for At {
    fn receive(&mut self, inbound: FromClient) -> Result<(), Overrun> {
        let FromClient::Record(record) = inbound else { return Ok(()) };
        match tn3270::datastream::Inbound::read(&record) {
            Ok(read) => terminal_control::arrived(&self.region, &self.terminal, read).map_err(|_| Overrun),
            Err(error) => {
                tracing::warn!(target: "TC", "terminal {}: input not understood: {error}", self.terminal.name);
                // The terminal has locked its keyboard; whoever sits there may try again.
                self.terminal.try_send(keyboard_restore());
                Ok(())
            }
        }
    }

    fn disconnected(&mut self, why: &Disconnect) {
        tracing::debug!(target: "TC", "terminal {}: {why}", self.terminal.name);
        self.terminal.hang_up();
        Terminals::of(&self.region).remove(self.terminal.name);
        terminal_control::left(&self.region, &self.terminal);
    }
}
