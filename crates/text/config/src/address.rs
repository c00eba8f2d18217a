//! Listening addresses, and the certificates of those who come there.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use diagnostics::Diagnostic;

use crate::reader::Table;
use crate::{Located, at, codes};

/// The traffic of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenListener {
    /// Everything as it is.
    InClear,
    /// Messages of programs; the programs decide who may reach them.
    Messages,
    /// Everything encrypted.
    Secure,
    /// Traffic that no other machine may reach, and the help for one who would let it.
    HereOnly(&'static str),
}

/// An address as a person writes it: `127.0.0.1:3270`, `[::1]:3270`, `localhost:3270`, or a port alone, which means
/// loopback. Reports what is none, and warns of one that other machines can reach.
pub(crate) fn listener(
    table: &Table<'_>,
    text: Located<String>,
    kind: OpenListener,
) -> Option<Located<SocketAddr>> {
    let Some(address) = parse(&text.value) else {
        let message =
            Diagnostic::error(codes::ADDRESS, "a listener is an address and a port").label("this is not one");
        table.report(at(message, &text).help("write \"127.0.0.1:3270\" to listen to this machine only"));
        return None;
    };
    if kind == OpenListener::InClear && !address.ip().is_loopback() {
        let message = Diagnostic::warning(codes::OPEN_LISTENER, "other machines can reach this listener")
            .label("screens and passwords travel in clear");
        table.report(at(message, &text).help("127.0.0.1 listens to this machine only; tn3270-tls encrypts"));
    }
    if let (OpenListener::HereOnly(help), false) = (kind, address.ip().is_loopback()) {
        let message = Diagnostic::error(codes::ADDRESS, "other machines could reach this listener");
        table.report(at(message, &text).help(help));
        return None;
    }
    Some(text.map(|_| address))
}

/// The address of what listens for this machine only.
pub(crate) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// An address of this machine, without a port, at which something listens that names none. Reports what is none.
pub(crate) fn of_machine(table: &Table<'_>, key: &'static str) -> Option<IpAddr> {
    let text = table.string(key)?;
    let address = text.value.parse().ok();
    if address.is_none() {
        let message = Diagnostic::error(codes::ADDRESS, "this is an address without a port");
        let help = "write \"127.0.0.1\" for this machine only, \"0.0.0.0\" for all that can reach it";
        table.report(at(message.label("this is not one"), &text).help(help));
    }
    address
}

/// `client-authorities`, and true if `client-certificates` is `"required"`.
pub(crate) fn client_certificates(table: &Table<'_>) -> (Option<Located<String>>, bool) {
    let authorities = table.string("client-authorities");
    let kinds = [("asked", false), ("required", true)];
    let required = table.choice("client-certificates", &kinds).unwrap_or(false);
    if required && authorities.is_none() {
        let text = "client-certificates = \"required\" needs `client-authorities`";
        let help =
            "name the PEM file of the authorities that sign them: client-authorities = \"clients.pem\"";
        table.report(Diagnostic::error(codes::MISSING, text).at(table.place()).help(help));
    }
    (authorities, required)
}

fn parse(text: &str) -> Option<SocketAddr> {
    let loopback = |port: u16| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    port.parse().ok().map(loopback)
}
