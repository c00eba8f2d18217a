//! Between the TN3270 door and the region's terminals.

use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use bms::ExtendedSet;
use config::BoundLu;
use domains::interval::IntervalControl;
use kernel::name::Name8;
use kernel::region::Region;
use kernel::security::{User, UserFile};
use kernel::terminal_control::{self, greet};
use kernel::terminals::defined::{Device, Typeterm};
use kernel::terminals::{
    Asked, Given, InstallError, Line, Page, Printed, Printer, Terminal, TerminalParts, Terminals, UpperCase,
    keyboard_restore,
};
use parking_lot::Mutex;
use terminal::{
    Caller, Connected, Disconnect, Form, FromClient, Overrun, Refusal, Reservation, Session, ToClient, Wanted,
};
use tn3270::telnet::{DeviceKind, Outcome, PrinterLanguage, Reject};
use tokio::sync::mpsc;

use crate::users::Users;

/// Network names that only some clients get.
pub(super) type Bound = HashMap<Name8, BoundLu>;

/// The region as the door sees it.
pub(super) struct TerminalHost {
    pub region: Arc<Region>,
    pub users: Arc<Users>,
    /// True if a certificate must be a user's.
    pub certified_only: bool,
    pub upper_case: UpperCase,
    pub bound: Bound,
}

/// Whose certificate a client has shown, and the groups.
type Shown = Option<(User, Vec<String>)>;

impl TerminalHost {
    /// Returns true if a client may have a network name.
    fn may_have(&self, lu: Name8, peer: SocketAddr, shown: &Shown) -> bool {
        let Some(bound) = self.bound.get(&lu) else { return true };
        let is_user = |(user, groups): &(User, Vec<String>)| {
            bound.users.iter().any(|name| Name8::from(name.as_str()) == user.id)
                || bound.groups.iter().any(|group| groups.contains(group))
        };
        bound.addresses.contains(&peer.ip().to_canonical()) || shown.as_ref().is_some_and(is_user)
    }

    /// Whose certificate a client has shown, or as whom another door has signed it on.
    ///
    /// # Errors
    /// If it belongs to no user, and must belong to one.
    fn shown(&self, caller: &Caller) -> Result<Shown, Refusal> {
        if let Some(id) = &caller.user {
            let user = self.users.user(id).map(|user| (user.groups.clone(), user));
            let text = format!("The user {id} is not known any more.");
            return match user {
                Some((groups, user)) => Ok(Some((user, groups))),
                None => Err(Refusal { reason: Reject::DeviceInUse, text }),
            };
        }
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
                text: format!("LU {lu} belongs to another user. Ask for another one."),
            });
        }
        let user = shown.map_or_else(
            || Arc::clone(&kernel::security::Users::of(&self.region).default),
            |(user, _)| Arc::new(user),
        );
        let asked = Asked {
            netname: lu,
            printer_of: wanted.printer_of.as_deref().map(Name8::from),
            is_printer: wanted.device.kind() == DeviceKind::Printer,
        };
        match Terminals::of(&self.region).reserve(asked) {
            Ok(given) => Ok(Box::new(Reserved {
                region: Arc::clone(&self.region),
                user,
                upper_case: self.upper_case,
                shown: given.netname.to_string(),
                given,
                connected: false,
            })),
            Err(why) => Err(refusal(why, wanted)),
        }
    }
}

/// The refusal of a client that gets no terminal.
fn refusal(why: InstallError, wanted: &Wanted) -> Refusal {
    let name = wanted.lu.as_deref().or(wanted.printer_of.as_deref()).unwrap_or_default();
    let (reason, text) = match why {
        InstallError::NameInUse => {
            (Reject::DeviceInUse, format!("LU {name} is in use. Ask for another one."))
        }
        InstallError::Full => {
            (Reject::DeviceInUse, String::from("All terminals of this region are in use. Try again later."))
        }
        InstallError::OtherKind => {
            (Reject::TypeNameError, format!("LU {name} is defined for another kind of device."))
        }
        InstallError::NoPrinter => {
            (Reject::InvalidAssociate, format!("No printer belongs to the display {name}."))
        }
    };
    Refusal { reason, text }
}

/// A terminal's name until the client has told what it can do.
struct Reserved {
    region: Arc<Region>,
    user: Arc<User>,
    upper_case: UpperCase,
    given: Given,
    shown: String,
    connected: bool,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if !self.connected {
            Terminals::of(&self.region).remove(self.given.name);
        }
    }
}

impl Reservation for Reserved {
    fn netname(&self) -> &str {
        &self.shown
    }

    fn language(&self) -> PrinterLanguage {
        match self.given.typeterm.as_deref() {
            Some(Typeterm { device: Device::Printer(language), .. }) => *language,
            _ => PrinterLanguage::default(),
        }
    }

    fn connect(mut self: Box<Self>, connected: Connected) -> Result<Session, Refusal> {
        let (sender, outbound) = mpsc::channel(Session::OUTBOUND_MAX);
        let user = Arc::clone(&self.user);
        let line = Box::new(Client(Mutex::new(Some(sender))));
        let parts = self.parts(connected);
        let terminal = Terminal::new(self.given.name, self.given.netname, parts, user, line);
        Terminals::of(&self.region).connect(&terminal);
        self.connected = true;
        if !terminal.is_printer() {
            greet(&self.region, &terminal);
        }
        IntervalControl::of(&self.region).terminal_came(&self.region, terminal.name);
        let at = At { region: Arc::clone(&self.region), terminal };
        domains::transient_data::terminal_came(&at.region, at.terminal.name);
        Ok(Session { terminal: Box::new(at), outbound })
    }
}

impl Reserved {
    /// The terminal's parts, by what the client says and by what is defined of it.
    fn parts(&self, connected: Connected) -> TerminalParts {
        let can = connected.capabilities;
        let typeterm = self.given.typeterm.as_deref();
        let upper_case = typeterm.and_then(|typeterm| typeterm.upper_case).unwrap_or(self.upper_case);
        let peer = connected.caller.peer.to_string();
        let Some(language) = connected.printer else {
            return TerminalParts {
                default_size: can.default_size,
                alternate_size: can.alternate_size,
                features: ExtendedSet::from(&can),
                peer,
                upper_case,
                printer: None,
            };
        };
        let page = typeterm.map_or(can.default_size, |typeterm| typeterm.page);
        let form_feed = typeterm.is_none_or(|typeterm| typeterm.form_feed);
        TerminalParts {
            default_size: page,
            alternate_size: page,
            features: ExtendedSet::NONE,
            peer,
            upper_case,
            printer: Some(Printer { language, form_feed }),
        }
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

    fn print(&self, page: Page) -> Pin<Box<dyn Future<Output = Printed> + Send + '_>> {
        let sender = self.sender();
        let (bytes, form) = match page {
            Page::Stream(stream) => (stream, Form::Stream),
            Page::Scs(text) => (text, Form::Scs),
        };
        Box::pin(async move {
            let (sent, answer) = ToClient::in_form(bytes, form);
            let Some(sender) = sender else { return Printed::Gone };
            if sender.send(sent).await.is_err() {
                return Printed::Gone;
            }
            // It must not keep the session from ending while the printer thinks.
            drop(sender);
            match answer.await {
                Ok(Outcome::Positive) => Printed::Done,
                Ok(Outcome::Negative(INTERVENTION_REQUIRED)) => Printed::NeedsSomebody,
                Ok(Outcome::Negative(_)) => Printed::Refused,
                Err(_) => Printed::Gone,
            }
        })
    }

    fn end_job(&self) {
        if let Some(sender) = self.sender() {
            // A printer that does not read its pages misses no more than this.
            let _ = sender.try_send(ToClient::end_of_job());
        }
    }

    fn close(&self) {
        self.0.lock().take();
    }
}

/// A printer's reason for a negative response: it needs paper, a ribbon, a closed cover.
const INTERVENTION_REQUIRED: u8 = 1;

/// A connected terminal as the door calls it.
struct At {
    region: Arc<Region>,
    terminal: Arc<Terminal>,
}

impl terminal::Partner for At {
    fn receive(&mut self, inbound: FromClient) -> Result<(), Overrun> {
        let record = match inbound {
            FromClient::Record(record) => record,
            FromClient::Returned => {
                self.terminal.draw_again(self.region.options.terminal_code_page);
                return Ok(());
            }
            FromClient::ErrorCleared => {
                self.terminal.is_mended();
                return Ok(());
            }
            FromClient::Attention => return Ok(()),
        };
        if self.terminal.takes_answer(&record, self.region.options.terminal_code_page) {
            return Ok(());
        }
        match tn3270::datastream::Inbound::read(&record) {
            Ok(read) => terminal_control::arrived(&self.region, &self.terminal, read).map_err(|_| Overrun),
            Err(error) => {
                tracing::warn!(target: "TC", "terminal {}: input not understood: {error}", self.terminal.name);
                // The terminal has locked its keyboard; its user may try again.
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
