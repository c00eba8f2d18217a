//! TCPIPSERVICE: a port, and how requests come through it.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use csd::Definition;
use kernel::name::{Name8, TransactionName};
use parking_lot::Mutex;
use ports::Ending;
use web::Traffic;

use crate::ciphers::Ciphers;
use crate::counts::now;
use crate::opened::Opened;

/// A TCPIPSERVICE.
pub(crate) struct Service {
    /// Its name.
    pub name: Name8,
    /// Attributes of the definition.
    pub said: Said,
    /// Address of the service, before the definition's.
    pub moved: Option<SocketAddr>,
    /// Its port, while it is open.
    pub opened: Mutex<Option<Opened>>,
    /// The end of its last port, whose connections may still be at work.
    pub ending: Mutex<Option<Arc<Ending>>>,
    /// Counts of its traffic.
    pub counts: Arc<Counts>,
    /// URM, which can be changed while it is open.
    pub analyzer: Arc<Mutex<Name8>>,
}

/// Attributes of a definition.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// PROTOCOL.
    pub protocol: Protocol,
    /// PORTNUMBER.
    pub port: u16,
    /// HOST or IPADDRESS; empty: neither names one.
    pub host: String,
    /// BACKLOG; 0: as many as the system takes.
    pub backlog: u32,
    /// MAXDATALEN, in bytes.
    pub body_max: u64,
    /// MAXPERSIST.
    pub kept_max: Option<usize>,
    /// SOCKETCLOSE; `None`: never.
    pub idle_max: Option<Duration>,
    /// SSL.
    pub ssl: Ssl,
    /// CERTIFICATE.
    pub certificate: Option<String>,
    /// CIPHERS; none: all suites that are there.
    pub ciphers: Option<Ciphers>,
    /// AUTHENTICATE.
    pub authenticate: Authenticate,
    /// REALM.
    pub realm: Option<String>,
    /// TRANSACTION.
    pub transaction: TransactionName,
    /// URM.
    pub analyzer: Name8,
    /// STATUS.
    pub opens: bool,
}

/// PROTOCOL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP.
    Http,
    /// Whatever the analyzer understands.
    User,
}

impl Protocol {
    /// The name of its CVDA.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "HTTP",
            Self::User => "USER",
        }
    }
}

/// SSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ssl {
    /// None.
    No,
    /// Ours.
    Yes,
    /// Ours, and clients show certificates.
    Clients,
    /// A proxy's.
    Proxy,
}

impl Ssl {
    /// The name of its CVDA.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "NOSSL",
            Self::Yes => "SSL",
            Self::Clients => "CLIENTAUTH",
            Self::Proxy => "ATTLSAWARE",
        }
    }
}

/// AUTHENTICATE: how a client says who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authenticate {
    /// It need not; a certificate of a user still says who it is.
    No,
    /// By user and password.
    Basic,
    /// By a certificate of a user.
    Certificate,
    /// By a certificate; the first time by user and password, too.
    Register,
    /// By a certificate as above, or by user and password.
    Automatic,
}

impl Authenticate {
    const NAMES: [(&str, Self); 5] = [
        ("NO", Self::No),
        ("BASIC", Self::Basic),
        ("CERTIFICATE", Self::Certificate),
        ("AUTOREGISTER", Self::Register),
        ("AUTOMATIC", Self::Automatic),
    ];

    /// The name of its CVDA.
    pub fn cvda(self) -> &'static str {
        match self {
            Self::No => "NOAUTHENTIC",
            Self::Basic => "BASICAUTH",
            Self::Certificate => "CERTIFICAUTH",
            Self::Register => "AUTOREGISTER",
            Self::Automatic => "AUTOAUTH",
        }
    }

    /// Returns true if a user and a password are taken.
    pub fn takes_basic(self) -> bool {
        matches!(self, Self::Basic | Self::Register | Self::Automatic)
    }

    /// Returns true if a certificate proves a user.
    pub fn takes_certificates(self) -> bool {
        self != Self::Basic
    }

    /// Returns true if a certificate is given to the user whom a password has proved.
    pub fn registers(self) -> bool {
        matches!(self, Self::Register | Self::Automatic)
    }
}

/// Counts of a service since the region started.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Counts of its doors.
    pub traffic: Arc<Traffic>,
    /// Requests.
    pub requests: AtomicU64,
    /// Requests at work now.
    pub at_work: AtomicU64,
    /// Tasks that were attached for them.
    pub attached: AtomicU64,
    /// Connections, and how many there were at a time at most.
    pub connections: AtomicU64,
    pub connections_most: AtomicU64,
    /// Tasks whose clients had gone before their answer: what they had changed was backed out.
    pub for_nobody: AtomicU64,
    /// Requests that were turned away because too many waited already.
    pub turned_away: AtomicU64,
    /// When it was opened and closed last, in microseconds since 1970.
    pub opened: AtomicU64,
    pub closed: AtomicU64,
}

/// The transaction of the services' own tasks, and the analyzer, by default.
pub(crate) const TRANSACTION: &str = "CWXN";
pub(crate) const TRANSACTION_OF_USER: &str = "CWXU";
pub(crate) const DEFAULT_ANALYZER: &str = "DFHWBAAX";
/// The published default of MAXDATALEN, in KB.
const MAX_DATA_KB: u64 = 32;
/// Bytes of a KB.
pub(crate) const KB: u64 = 1024;

impl Said {
    /// MAXDATALEN, in KB.
    pub fn body_max_kb(&self) -> u64 {
        self.body_max / KB
    }

    /// Attributes of a service without a definition.
    pub fn by_default() -> Self {
        Self {
            protocol: Protocol::Http,
            port: 0,
            host: String::new(),
            backlog: 0,
            body_max: MAX_DATA_KB * KB,
            kept_max: None,
            idle_max: None,
            ssl: Ssl::No,
            certificate: None,
            ciphers: None,
            authenticate: Authenticate::No,
            realm: None,
            transaction: TransactionName::from(TRANSACTION),
            analyzer: Name8::from(DEFAULT_ANALYZER),
            opens: true,
        }
    }

    /// Those of a definition.
    ///
    /// # Errors
    /// Its mistake.
    pub fn of(definition: &Definition) -> Result<Self, String> {
        let Definition { name, .. } = definition;
        let protocol = match definition.get("PROTOCOL").unwrap_or("HTTP") {
            "HTTP" => Protocol::Http,
            "USER" if definition.get("URM").is_some() => Protocol::User,
            "USER" => {
                return Err(format!("TCPIPSERVICE {name} has PROTOCOL(USER): it needs URM, an analyzer"));
            }
            other => {
                return Err(format!(
                    "TCPIPSERVICE {name} has PROTOCOL({other}): only HTTP and USER are there"
                ));
            }
        };
        let said = definition.get("AUTHENTICATE").unwrap_or("NO");
        let authenticate = Authenticate::NAMES.into_iter().find(|(word, _)| *word == said);
        let (_, authenticate) = authenticate
            .ok_or_else(|| format!("TCPIPSERVICE {name} has AUTHENTICATE({said}): that is not there"))?;
        let ssl = match definition.get("SSL") {
            Some("YES") => Ssl::Yes,
            Some("CLIENTAUTH") => Ssl::Clients,
            Some("ATTLSAWARE") => Ssl::Proxy,
            _ => Ssl::No,
        };
        let shows = matches!(ssl, Ssl::Clients | Ssl::Proxy);
        if !shows && !matches!(authenticate, Authenticate::No | Authenticate::Basic) {
            return Err(format!(
                "TCPIPSERVICE {name} has AUTHENTICATE({said}): clients show certificates only with SSL(CLIENTAUTH) or \
                 SSL(ATTLSAWARE)"
            ));
        }
        if protocol == Protocol::User && authenticate != Authenticate::No {
            return Err(format!(
                "TCPIPSERVICE {name} has AUTHENTICATE({said}): with PROTOCOL(USER) only NO is there"
            ));
        }
        let default = match protocol {
            Protocol::Http => Self::by_default(),
            Protocol::User => {
                Self { transaction: TransactionName::from(TRANSACTION_OF_USER), ..Self::by_default() }
            }
        };
        let time = definition.get("SOCKETCLOSE").filter(|time| *time != "NO");
        Ok(Self {
            protocol,
            port: definition.number("PORTNUMBER").and_then(|port| port.try_into().ok()).unwrap_or(0),
            host: host(definition),
            backlog: definition.number("BACKLOG").and_then(|many| many.try_into().ok()).unwrap_or(0),
            body_max: definition.number("MAXDATALEN").unwrap_or(MAX_DATA_KB) * KB,
            kept_max: definition.number("MAXPERSIST").map(|most| most as usize),
            idle_max: time.map(|time| hhmmss(time).ok_or_else(|| no_time(name, time))).transpose()?,
            ssl,
            certificate: definition.get("CERTIFICATE").map(str::to_owned),
            ciphers: ciphers(definition).map_err(|why| format!("TCPIPSERVICE {name}: {why}"))?,
            authenticate,
            realm: definition.get("REALM").map(str::to_owned),
            transaction: definition.get("TRANSACTION").map_or(default.transaction, TransactionName::from),
            analyzer: definition.get("URM").map_or(default.analyzer, Name8::from),
            opens: !definition.is("STATUS", "CLOSED"),
        })
    }
}

/// The words of HOST and IPADDRESS that name no address.
const ANY: [&str; 3] = ["ANY", "DEFAULT", "INADDR_ANY"];

/// HOST of a definition, else its IPADDRESS; empty if neither names an address. ANY is the default of HOST: it hides no
/// IPADDRESS.
fn host(definition: &Definition) -> String {
    let named = |attribute| definition.get(attribute).filter(|host| !ANY.contains(host));
    named("HOST").or_else(|| named("IPADDRESS")).unwrap_or_default().to_owned()
}

/// CIPHERS of a definition.
pub(crate) fn ciphers(definition: &Definition) -> Result<Option<Ciphers>, String> {
    definition.get("CIPHERS").filter(|text| !text.is_empty()).map(Ciphers::of).transpose()
}

fn no_time(name: &str, time: &str) -> String {
    format!("TCPIPSERVICE {name} has SOCKETCLOSE({time}): NO or a time as hhmmss is expected")
}

/// A time as hhmmss; leading zeros may be left out.
pub(crate) fn hhmmss(text: &str) -> Option<Duration> {
    let number: u64 = text.parse().ok()?;
    let (hours, minutes, seconds) = (number / 10_000, number / 100 % 100, number % 100);
    let legal = hours < 100 && minutes < 60 && seconds < 60;
    legal.then(|| Duration::from_secs((hours * 60 + minutes) * 60 + seconds))
}

impl Service {
    pub fn new(name: Name8, said: Said, moved: Option<SocketAddr>) -> Self {
        let analyzer = Arc::new(Mutex::new(said.analyzer));
        Self {
            name,
            said,
            moved,
            opened: Mutex::default(),
            ending: Mutex::default(),
            counts: Arc::default(),
            analyzer,
        }
    }

    /// It, saying something else; it is closed.
    pub fn saying(&self, said: Said) -> Self {
        let (name, moved) = (self.name, self.moved);
        let (counts, analyzer) = (Arc::clone(&self.counts), Arc::clone(&self.analyzer));
        Self { name, said, moved, opened: Mutex::default(), ending: Mutex::default(), counts, analyzer }
    }

    /// Its analyzer.
    pub fn analyzer(&self) -> Name8 {
        *self.analyzer.lock()
    }

    /// Number of connections now.
    pub fn connections(&self) -> u64 {
        self.opened.lock().as_ref().map_or(0, |opened| opened.connections() as u64)
    }

    /// The address at which it is to listen; `default` if nothing names one.
    ///
    /// # Errors
    /// The host has no address.
    pub fn address(&self, default: IpAddr) -> Result<SocketAddr, String> {
        if let Some(moved) = self.moved {
            return Ok(moved);
        }
        let Said { host, port, .. } = &self.said;
        if host.is_empty() {
            return Ok(SocketAddr::new(default, *port));
        }
        let known = (host.as_str(), *port).to_socket_addrs().ok().and_then(|mut found| found.next());
        known.ok_or_else(|| format!("HOST({host}) has no address: name one of this machine's, or ANY"))
    }

    /// Address on which it listens now.
    pub fn listens(&self) -> Option<SocketAddr> {
        self.opened.lock().as_ref().map(|opened| opened.address)
    }

    /// Returns true if clients can connect.
    pub fn is_open(&self) -> bool {
        self.opened.lock().is_some()
    }

    /// Closes it: no client is accepted any more, and each connection ends behind the request it works on.
    pub fn close(&self) {
        self.turn_away();
        if let Some(opened) = self.opened.lock().take() {
            *self.ending.lock() = Some(opened.ending);
            self.counts.closed.store(now(), Ordering::Relaxed);
        }
    }

    /// Ends the connections that are left of it, whatever they work on.
    pub fn break_off(&self) {
        if let Some(ending) = self.ending.lock().take() {
            ending.stop();
        }
    }

    /// The same as [`Self::close`], but it is known still, to be stopped.
    pub fn turn_away(&self) {
        if let Some(opened) = &*self.opened.lock() {
            opened.ending.close();
            opened.closing.close();
        }
    }

    /// Number of its requests at work.
    pub fn at_work(&self) -> u64 {
        self.counts.at_work.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use csd::ResourceType;

    use super::*;

    #[test]
    fn a_service_listens_where_its_definition_says_and_else_where_the_region_does() {
        let [here, all] = [Ipv4Addr::LOCALHOST, Ipv4Addr::UNSPECIFIED].map(IpAddr::V4);
        for (said, default, at) in [
            ("", here, "127.0.0.1:80"),
            ("", all, "0.0.0.0:80"),
            ("HOST(ANY)", here, "127.0.0.1:80"),
            ("IPADDRESS(127.0.0.2)", all, "127.0.0.2:80"),
            ("HOST(ANY) IPADDRESS(127.0.0.2)", all, "127.0.0.2:80"),
            ("HOST(127.0.0.3) IPADDRESS(127.0.0.2)", all, "127.0.0.3:80"),
            ("IPADDRESS(INADDR_ANY)", here, "127.0.0.1:80"),
            ("HOST(::1)", all, "[::1]:80"),
        ] {
            let text = format!("PORTNUMBER(80) {said}");
            let definition = csd::read_attributes(ResourceType::Tcpipservice, "SHOP", &text);
            let said = Said::of(&definition.expect("a definition")).expect("a service");
            let service = Service::new(Name8::from("SHOP"), said, None);
            assert_eq!(service.address(default).map(|at| at.to_string()), Ok(at.to_owned()));
        }
    }

    #[test]
    fn times_are_written_as_hours_minutes_and_seconds() {
        for (text, seconds) in
            [("0", Some(0)), ("000010", Some(10)), ("10203", Some(3723)), ("99", None), ("X", None)]
        {
            assert_eq!(hhmmss(text).map(|time| time.as_secs()), seconds, "{text}");
        }
    }
}
