//! TCPIPSERVICE: a port, and how requests come through it.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name8, TransactionName};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Given, Key, Kind, Manager, Resource, Set, Setting, Takes};
use parking_lot::Mutex;
use ports::Ending;
use spec::{cmd, cond, opt};
use web::Traffic;

use crate::address::host_type;
use crate::ciphers::Ciphers;
use crate::opening::Opened;
use crate::region::Web;

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
    analyzer: Arc<Mutex<Name8>>,
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
    /// It need not; a certificate that is somebody's still says it.
    No,
    /// By user and password.
    Basic,
    /// By a certificate that is somebody's.
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
const KB: u64 = 1024;

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

    fn of(definition: &Definition) -> Result<Self, String> {
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

    /// Number of its requests at work.
    pub fn at_work(&self) -> u64 {
        self.counts.at_work.load(Ordering::Relaxed)
    }
}

/// Attributes of a TCPIPSERVICE definition.
static DEFINED: Defined = Defined {
    resource: ResourceType::Tcpipservice,
    create: cmd::CREATE_TCPIPSERVICE,
    discard: cmd::DISCARD_TCPIPSERVICE,
    reads: &[
        "AUTHENTICATE",
        "BACKLOG",
        "CERTIFICATE",
        "CIPHERS",
        "HOST",
        "IPADDRESS",
        "MAXDATALEN",
        "MAXPERSIST",
        "PORTNUMBER",
        "PROTOCOL",
        "REALM",
        "SOCKETCLOSE",
        "SSL",
        "STATUS",
        "TRANSACTION",
        "URM",
    ],
    without_effect: &[
        ("ATTACHSEC", "it says something of other protocols than HTTP"),
        ("DNSGROUP", "regions are found by their addresses"),
        ("GRPCRITICAL", "regions are found by their addresses"),
        ("OPTIONSPGM", "OPTIONS goes to the program like other methods"),
        ("PRIVACY", "SSL says it"),
        ("TSQPREFIX", "requests are kept in storage"),
    ],
    elsewhere: None,
    needs: &[&["PORTNUMBER"]],
    install: |region, definition| {
        let name = Name8::from(definition.name.as_str());
        Web::of(region).install_service(region, name, Said::of(definition)?)
    },
    may_replace: |region, name| match Web::of(region).service(Name8::new(name)) {
        Some(_) => closed(region, name),
        None => Ok(()),
    },
    may_discard: closed,
    remove: |region, name| Web::of(region).remove_service(Name8::new(name)),
    status: None,
};

/// RESP2 of NOTFND: no such service.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: it is open.
const IS_OPEN: i32 = 4;
/// RESP2 of INVREQ: its port cannot be had.
const NO_PORT: i32 = 0;

/// RESP2 of INVREQ of SET: SET TCPIP has closed all services. Recalled, not read.
const NO_SUPPORT: i32 = 5;
/// RESP2 of INVREQ of SET: BACKLOG, MAXDATALEN. Recalled, not read.
const BACKLOG: i32 = 8;
const DATA_LENGTH: i32 = 9;
/// Largest value of BACKLOG.
const BACKLOG_MAX: i64 = 32_767;
const DATA_KB_MIN: i64 = 3;
const DATA_KB_MAX: i64 = 524_288;

/// Changes what a service says, which must be closed.
fn say(by: &Manager, service: &Service, change: impl FnOnce(&mut Said)) -> Outcome {
    if service.is_open() {
        return Err(cond::INVREQ.raise(IS_OPEN));
    }
    Web::of(&by.region).change_service(service.name, change);
    Ok(())
}

fn closed(region: &Region, name: &[u8]) -> Outcome {
    let service = Web::of(region).service(Name8::new(name)).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))?;
    if service.is_open() { Err(cond::INVREQ.raise(IS_OPEN)) } else { Ok(()) }
}

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_TCPIPSERVICE, Handler::Now(|task, call| SERVICES.inquire(task, call))),
    (cmd::SET_TCPIPSERVICE, Handler::Waits(|task, call| Box::pin(SERVICES.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "TCPIPSERVICE",
    table: &SERVICES,
    inquire: cmd::INQUIRE_TCPIPSERVICE,
    set: Some(cmd::SET_TCPIPSERVICE),
    defined: Some(&DEFINED),
};

/// Characters of REALM, of HOST and of an address as text.
const REALM: usize = 56;
const HOST: usize = 116;
const ADDRESS: usize = 39;
const ADDRESS_OF_FOUR: usize = 15;

/// INQUIRE and SET of a service.
static SERVICES: Resource<Arc<Service>> = Resource {
    name: opt::TCPIPSERVICE,
    key: Key::Name,
    names: |by| Web::of(&by.region).services().iter().map(|s| s.name.as_bytes().to_vec()).collect(),
    find: |by, name| Web::of(&by.region).service(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ATTACHSEC, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::AUTHENTICATE, |_, s| Value::Cvda(s.said.authenticate.cvda())),
        (opt::BACKLOG, |_, s| Value::Number(s.said.backlog.into())),
        (opt::CERTIFICATE, |_, s| Value::padded(s.said.certificate.as_deref().unwrap_or_default(), REALM)),
        (opt::CIPHERS, |_, s| Value::padded(s.said.ciphers.as_ref().map_or("", Ciphers::text), REALM)),
        (opt::CLOSETIMEOUT, |_, s| Value::Number(s.said.idle_max.map_or(-1, |idle| idle.as_secs() as i64))),
        (opt::CONNECTIONS, |_, s| Value::Number(s.connections() as i64)),
        (opt::GENERICTCPS, |_, _| Value::text(Name8::BLANK)),
        (opt::HOST, |_, s| Value::padded(if s.said.host.is_empty() { "ANY" } else { &s.said.host }, HOST)),
        (opt::HOSTTYPE, |_, s| Value::Cvda(host_type(&s.said.host))),
        (opt::IPADDRESS, |_, s| {
            let four = s.listens().map(|at| at.ip().to_canonical()).filter(IpAddr::is_ipv4);
            Value::padded(&four.map_or_else(|| "0.0.0.0".to_owned(), |at| at.to_string()), ADDRESS_OF_FOUR)
        }),
        (opt::IPFAMILY, |_, s| {
            Value::Cvda(match s.listens() {
                Some(at) if at.is_ipv4() => "IPV4",
                Some(_) => "IPV6",
                None => "NOTAPPLIC",
            })
        }),
        (opt::IPRESOLVED, |_, s| {
            Value::padded(&s.listens().map_or_else(String::new, |at| at.ip().to_string()), ADDRESS)
        }),
        (opt::MAXDATALEN, |_, s| Value::Number(s.said.body_max_kb() as i64)),
        (opt::MAXPERSIST, |_, s| Value::Number(s.said.kept_max.map_or(-1, |most| most as i64))),
        (opt::NUMCIPHERS, |by, s| {
            let keyring = &Web::of(&by.region).options().keyring;
            Value::Number(s.said.ciphers.as_ref().map_or(0, |ciphers| ciphers.count(keyring) as i64))
        }),
        (opt::OPENSTATUS, |_, s| Value::either(s.is_open(), "OPEN", "CLOSED")),
        (opt::OPTIONSPGM, |_, _| Value::text(Name8::BLANK)),
        (opt::PORT, |_, s| Value::Number(s.listens().map_or(s.said.port, |at| at.port()).into())),
        (opt::PRIVACY, |_, s| Value::either(s.said.ssl == Ssl::No, "NOTSUPPORTED", "REQUIRED")),
        (opt::PROTOCOL, |_, s| Value::Cvda(s.said.protocol.name())),
        (opt::REALM, |_, s| Value::padded(s.said.realm.as_deref().unwrap_or_default(), REALM)),
        (opt::SOCKETCLOSE, |_, s| Value::Number(s.said.idle_max.map_or(-1, |idle| idle.as_secs() as i64))),
        (opt::SPECIFTCPS, |_, _| Value::text(Name8::BLANK)),
        (opt::SSLTYPE, |_, s| Value::Cvda(s.said.ssl.name())),
        (opt::TRANSID, |_, s| Value::text(s.said.transaction)),
        (opt::URM, |_, s| Value::text(s.analyzer())),
    ],
    settings: &[
        Setting {
            option: opt::BACKLOG,
            takes: Takes::Number(0..=BACKLOG_MAX),
            resp2: BACKLOG,
            set: Set::Now(|by, service, to| {
                say(by, service, |said| said.backlog = to.number().try_into().unwrap_or(0))
            }),
        },
        Setting {
            option: opt::MAXDATALEN,
            takes: Takes::Number(DATA_KB_MIN..=DATA_KB_MAX),
            resp2: DATA_LENGTH,
            set: Set::Now(|by, service, to| say(by, service, |said| said.body_max = to.number() as u64 * KB)),
        },
        Setting {
            option: opt::URM,
            takes: Takes::Text,
            resp2: IS_OPEN,
            set: Set::Now(|_, service, to| {
                let Given::Text(name) = to else { return Ok(()) };
                *service.analyzer.lock() = Name8::new(name);
                Ok(())
            }),
        },
        Setting {
            option: opt::OPENSTATUS,
            takes: Takes::OneOf(&[("OPEN", opt::OPEN), ("CLOSED", opt::CLOSED), ("IMMCLOSE", opt::IMMCLOSE)]),
            resp2: IS_OPEN,
            set: Set::Now(|by, service, to| {
                // Another option of the command may have changed what it says.
                let service = Web::of(&by.region).service(service.name).unwrap_or(Arc::clone(service));
                if !to.is("OPEN") {
                    service.close();
                    if to.is("IMMCLOSE") {
                        service.break_off();
                    }
                    return Ok(());
                }
                if !Web::of(&by.region).is_supported() {
                    return Err(cond::INVREQ.raise(NO_SUPPORT));
                }
                service.open(&by.region).map_err(|why| {
                    tracing::warn!(target: "SO", "TCPIPSERVICE {} is not opened: {why}", service.name);
                    cond::INVREQ.raise(NO_PORT)
                })
            }),
        },
    ],
};

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

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
