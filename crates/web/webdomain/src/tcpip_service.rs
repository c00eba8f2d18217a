//! TCPIPSERVICE: its attributes, INQUIRE and SET.

use std::net::IpAddr;
use std::sync::Arc;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Given, Key, Kind, Manager, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use crate::address::host_type;
use crate::ciphers::Ciphers;
use crate::region::Web;
use crate::service::{KB, Said, Service, Ssl};

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
    refuses: |definition| Said::of(definition).map(drop),
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
