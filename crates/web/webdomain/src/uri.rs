//! URIMAP: its attributes, INQUIRE and SET.

use std::sync::Arc;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Given, Key, Kind, Manager, Resource, Set, Setting, Status, Takes};
use spec::{cmd, cond, opt};
use urimap::{Scheme, Usage};

use crate::address::{family, host_type, shown_address};
use crate::ciphers::Ciphers;
use crate::region::Web;
use crate::uri_map::{Source, UriMap, redirect};

/// Attributes of a URIMAP definition.
static DEFINED: Defined = Defined {
    resource: ResourceType::Urimap,
    create: cmd::CREATE_URIMAP,
    discard: cmd::DISCARD_URIMAP,
    reads: &[
        "ANALYZER",
        "CERTIFICATE",
        "CIPHERS",
        "CHARACTERSET",
        "CONVERTER",
        "HFSFILE",
        "HOST",
        "HOSTCODEPAGE",
        "LOCATION",
        "MEDIATYPE",
        "PATH",
        "PIPELINE",
        "PORT",
        "PROGRAM",
        "REDIRECTTYPE",
        "SCHEME",
        "SOCKETCLOSE",
        "STATUS",
        "TCPIPSERVICE",
        "TEMPLATENAME",
        "TRANSACTION",
        "USAGE",
        "USERID",
        "WEBSERVICE",
    ],
    without_effect: &[
        ("ATOMSERVICE", "there are no Atom feeds"),
        ("AUTHENTICATE", "a client's requests say for whom they are"),
    ],
    elsewhere: None,
    needs: &[&["HOST"], &["PATH"]],
    refuses: |definition| UriMap::of(definition).map(drop),
    install: |region, definition| {
        let map = UriMap::of(definition)?;
        Web::of(region).change(|maps| drop(maps.insert(map.name, Arc::new(map))));
        Ok(())
    },
    may_replace: |region, name| match Web::of(region).map(Name8::new(name)) {
        Some(_) => disabled(region, name),
        None => Ok(()),
    },
    may_discard: disabled,
    remove: |region, name| Web::of(region).change(|maps| drop(maps.remove(&Name8::new(name)))),
    status: Some(Status {
        letter: b'U',
        all: |region| {
            let maps = Web::of(region).maps();
            maps.iter().map(|m| (m.name.as_bytes().to_vec(), vec![u8::from(m.matches.enabled)])).collect()
        },
        set: |region, name, status| {
            let on = status.first().is_some_and(|byte| *byte != 0);
            Web::of(region).change_map(Name8::new(name), |map| map.matches.enabled = on)
        },
    }),
};

/// RESP2 of NOTFND: no such URI map.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: it is enabled.
const ENABLED: i32 = 3;
/// RESP2 of INVREQ of SET: the status, and the redirection.
const STATUS: i32 = 2;
const REDIRECTION: i32 = 7;

fn disabled(region: &Region, name: &[u8]) -> Outcome {
    let map = Web::of(region).map(Name8::new(name)).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))?;
    if map.matches.enabled { Err(cond::INVREQ.raise(ENABLED)) } else { Ok(()) }
}

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_URIMAP, Handler::Now(|task, call| MAPS.inquire(task, call))),
    (cmd::SET_URIMAP, Handler::Waits(|task, call| Box::pin(MAPS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "URIMAP",
    table: &MAPS,
    inquire: cmd::INQUIRE_URIMAP,
    set: Some(cmd::SET_URIMAP),
    defined: Some(&DEFINED),
};

/// The version of what is no application.
const NO_VERSION: i64 = -1;
/// Characters of the published fields.
mod width {
    pub const APPLICATION: usize = 64;
    pub const CERTIFICATE: usize = 56;
    pub const CHARACTER_SET: usize = 40;
    pub const CODE_PAGE: usize = 10;
    pub const HOST: usize = 120;
    pub const LOCATION: usize = 255;
    pub const MEDIA: usize = 56;
    pub const PATH: usize = 255;
    pub const TEMPLATE: usize = 48;
}

fn shown(text: Option<&String>, width: usize) -> Value {
    Value::padded(text.map_or("", String::as_str), width)
}

/// Changes one thing of a map.
fn change(by: &Manager, map: &UriMap, what: impl FnOnce(&mut UriMap)) -> Outcome {
    Web::of(&by.region).change_map(map.name, what).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))
}

/// INQUIRE and SET of a URI map.
static MAPS: Resource<Arc<UriMap>> = Resource {
    name: opt::URIMAP,
    key: Key::Name,
    names: |by| Web::of(&by.region).maps().iter().map(|m| m.name.as_bytes().to_vec()).collect(),
    find: |by, name| Web::of(&by.region).map(Name8::new(name)),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ANALYZERSTAT, |_, m| Value::either(m.is_analyzed, "ANALYZER", "NOANALYZER")),
        // No URIMAP is that of an application on a platform.
        (opt::APPLICATION, |_, _| Value::padded("", width::APPLICATION)),
        (opt::APPLMAJORVER, |_, _| Value::Number(NO_VERSION)),
        (opt::APPLMICROVER, |_, _| Value::Number(NO_VERSION)),
        (opt::APPLMINORVER, |_, _| Value::Number(NO_VERSION)),
        (opt::ATOMSERVICE, |_, _| Value::text(Name8::BLANK)),
        (opt::AUTHENTICATE, |_, _| Value::Cvda("NOAUTHENTIC")),
        (opt::AVAILSTATUS, |_, _| Value::Cvda("NONE")),
        (opt::CERTIFICATE, |_, m| shown(m.certificate.as_ref(), width::CERTIFICATE)),
        (opt::CHARACTERSET, |_, m| shown(m.character_set.as_ref(), width::CHARACTER_SET)),
        (opt::CIPHERS, |_, m| Value::padded(m.ciphers.as_ref().map_or("", Ciphers::text), width::MEDIA)),
        (opt::CONVERTER, |_, m| Value::text(m.converter.unwrap_or_default())),
        (opt::ENABLESTATUS, |by, m| {
            Value::Cvda(match m.matches.enabled {
                false => "DISABLED",
                true if Web::of(&by.region).uris().is_off(&m.matches.host) => "DISABLEDHOST",
                true => "ENABLED",
            })
        }),
        (opt::HFSFILE, |_, m| match &m.page {
            Some(Source::File(file)) => Value::padded(file, width::PATH),
            _ => Value::padded("", width::PATH),
        }),
        (opt::HOST, |_, m| Value::padded(&m.matches.host, width::HOST)),
        (opt::HOSTCODEPAGE, |_, m| shown(m.code_page.as_ref(), width::CODE_PAGE)),
        (opt::HOSTTYPE, |_, m| Value::Cvda(host_type(&m.matches.host))),
        (opt::IPFAMILY, |_, m| family(&m.matches.host)),
        (opt::IPRESOLVED, |_, m| shown_address(&m.matches.host)),
        (opt::LOCATION, |_, m| Value::padded(&m.location, width::LOCATION)),
        (opt::MEDIATYPE, |_, m| shown(m.media.as_ref(), width::MEDIA)),
        (opt::NUMCIPHERS, |by, m| {
            let keyring = &Web::of(&by.region).options().keyring;
            Value::Number(m.ciphers.as_ref().map_or(0, |ciphers| ciphers.count(keyring) as i64))
        }),
        (opt::OPERATION, |_, _| Value::padded("", width::APPLICATION)),
        (opt::PATH, |_, m| Value::padded(&m.matches.path, width::PATH)),
        (opt::PIPELINE, |_, m| Value::text(m.pipeline.unwrap_or_default())),
        (opt::PLATFORM, |_, _| Value::padded("", width::APPLICATION)),
        (opt::PORT, |_, m| Value::Number(m.port.unwrap_or(0).into())),
        (opt::PROGRAM, |_, m| Value::text(m.program.unwrap_or_default())),
        (opt::REDIRECTTYPE, |_, m| match &m.matches.redirect {
            None => Value::Cvda("NONE"),
            Some(redirect) => Value::either(redirect.permanent, "PERMANENT", "TEMPORARY"),
        }),
        (opt::SCHEME, |_, m| Value::either(m.matches.scheme == Scheme::Http, "HTTP", "HTTPS")),
        (opt::SOCKETCLOSE, |_, m| Value::Number(m.keeps.map_or(0, |keep| keep.as_secs() as i64))),
        (opt::SOCKPOOLSIZE, |by, m| Value::Number(Web::of(&by.region).pool().kept(m.name) as i64)),
        (opt::TCPIPSERVICE, |_, m| {
            Value::text(Name8::from(m.matches.service.as_deref().unwrap_or_default()))
        }),
        (opt::TEMPLATENAME, |_, m| match &m.page {
            Some(Source::Template(name)) => Value::padded(name, width::TEMPLATE),
            _ => Value::padded("", width::TEMPLATE),
        }),
        (opt::TRANSACTION, |_, m| Value::text(m.transaction.unwrap_or_default())),
        (opt::USAGE, |_, m| {
            Value::Cvda(match m.matches.usage {
                Usage::Client => "CLIENT",
                Usage::Pipeline => "PIPELINE",
                Usage::JvmServer => "JVMSERVER",
                _ => "SERVER",
            })
        }),
        (opt::USERID, |_, m| Value::text(m.user.unwrap_or_default())),
        (opt::WEBSERVICE, |_, m| Value::text(m.webservice.unwrap_or_default())),
    ],
    settings: &[
        Setting {
            option: opt::LOCATION,
            takes: Takes::Text,
            resp2: REDIRECTION,
            set: Set::Now(|by, map, to| {
                let Given::Text(text) = to else { return Ok(()) };
                let location = String::from_utf8_lossy(text.trim_ascii_end()).into_owned();
                change(by, map, |map| {
                    if let Some(redirect) = &mut map.matches.redirect {
                        redirect.location.clone_from(&location);
                    }
                    map.location = location;
                })
            }),
        },
        Setting {
            option: opt::REDIRECTTYPE,
            takes: Takes::OneOf(&[
                ("NONE", opt::NONE),
                ("PERMANENT", opt::PERMANENT),
                ("TEMPORARY", opt::TEMPORARY),
            ]),
            resp2: REDIRECTION,
            set: Set::Now(|by, map, to| {
                let Given::Cvda(kind) = to else { return Ok(()) };
                let location =
                    Web::of(&by.region).map(map.name).map_or_else(String::new, |map| map.location.clone());
                if *kind != "NONE" && location.is_empty() {
                    return Err(cond::INVREQ.raise(REDIRECTION));
                }
                change(by, map, |map| map.matches.redirect = redirect(Some(kind), &location))
            }),
        },
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: STATUS,
            set: Set::Now(|by, map, to| {
                let on = to.is("ENABLED");
                change(by, map, |map| map.matches.enabled = on)
            }),
        },
    ],
};
