//! `[console]`: the web console.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::address::{self, OpenListener};
use crate::reader::Table;
use crate::{Located, at, codes};

/// Minutes without use after which a session may be told to end.
const IDLE_MIN: RangeInclusive<u32> = 1..=1_440;
const DEFAULT_IDLE_MIN: u32 = 15;

/// Help for one who would let other machines reach it in clear.
const IN_CLEAR: &str =
    "passwords and screens would travel in clear: write \"127.0.0.1:9480\", or name `certificate` and `key`";

/// The web console. Without an address there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleConfig {
    /// The address on which it listens.
    pub listen: Option<Located<SocketAddr>>,
    /// Names by which browsers call it, beside addresses and `localhost`.
    pub names: Vec<String>,
    /// PEM files of its certificate with the chain, and of the key.
    pub identity: Option<(Located<String>, Located<String>)>,
    /// PEM file of the authorities of browsers' certificates; `None`: browsers are asked for none.
    pub client_authorities: Option<Located<String>>,
    /// True if a browser without a certificate is turned away.
    pub client_certificates_required: bool,
    /// Minutes without use after which a session ends.
    pub idle_min: u32,
}

impl Default for ConsoleConfig {
    fn default() -> Self {
        Self {
            listen: None,
            names: Vec::new(),
            identity: None,
            client_authorities: None,
            client_certificates_required: false,
            idle_min: DEFAULT_IDLE_MIN,
        }
    }
}

impl ConsoleConfig {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let (certificate, key) = (table.string("certificate"), table.string("key"));
        if let (Some(one), None) | (None, Some(one)) = (&certificate, &key) {
            let message = Diagnostic::error(
                codes::NO_CERTIFICATE,
                "a certificate needs its key, and a key its certificate",
            );
            table.report(
                at(message, one).help("name both: certificate = \"console.pem\", key = \"console.key\""),
            );
        }
        let identity = certificate.zip(key);
        let (client_authorities, client_certificates_required) = address::client_certificates(&table);
        if let (Some(authorities), None) = (&client_authorities, &identity) {
            let message = Diagnostic::error(
                codes::NO_CERTIFICATE,
                "browsers show certificates to a console that has one itself",
            );
            let help = "name it: certificate = \"console.pem\", key = \"console.key\"";
            table.report(at(message, authorities).help(help));
        }
        let open = if identity.is_some() { OpenListener::Secure } else { OpenListener::HereOnly(IN_CLEAR) };
        let listen = table.string("listen").and_then(|text| address::listener(&table, text, open));
        let names = table.strings("names").unwrap_or_default().into_iter().map(|name| name.value).collect();
        let idle_min = table.number("idle", IDLE_MIN).unwrap_or(DEFAULT_IDLE_MIN);
        table.finish();
        Self { listen, names, identity, client_authorities, client_certificates_required, idle_min }
    }
}
