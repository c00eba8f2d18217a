//! URIMAP: what a request leads to, and where a client's requests go.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name8, TransactionName};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Given, Key, Kind, Manager, Resource, Set, Setting, Status, Takes};
use pipelines::webservice::ServiceName;
use spec::{cmd, cond, opt};
use urimap::{Redirect, Scheme, Usage};

use crate::address::{family, host_type, shown_address};
use crate::ciphers::Ciphers;
use crate::line::is_label;
use crate::region::Web;
use crate::service::{ciphers, hhmmss};

/// A URIMAP.
#[derive(Clone, Debug)]
pub(crate) struct UriMap {
    /// Its name.
    pub name: Name8,
    /// Requests that the map applies to.
    pub matches: urimap::Definition,
    /// TRANSACTION.
    pub transaction: Option<TransactionName>,
    /// PROGRAM.
    pub program: Option<Name8>,
    /// CONVERTER.
    pub converter: Option<Name8>,
    /// ANALYZER: the service's analyzer sees the request first.
    pub is_analyzed: bool,
    /// USERID.
    pub user: Option<Name8>,
    /// PIPELINE.
    pub pipeline: Option<Name8>,
    /// WEBSERVICE; none: that of the pipeline at the request's path.
    pub webservice: Option<ServiceName>,
    /// Source of an answer without a task.
    pub page: Option<Source>,
    /// MEDIATYPE; none: a file's ending says it.
    pub media: Option<String>,
    /// CHARACTERSET: that of the answer.
    pub character_set: Option<String>,
    /// HOSTCODEPAGE: that of the template or file.
    pub code_page: Option<String>,
    /// PORT.
    pub port: Option<u16>,
    /// CERTIFICATE: the label of the one that a server may see.
    pub certificate: Option<String>,
    /// CIPHERS; none: all suites that are there.
    pub ciphers: Option<Ciphers>,
    /// SOCKETCLOSE: for how long a connection to a server is kept for the next task; `None`: not at all.
    pub keeps: Option<Duration>,
    /// LOCATION, which a redirection needs.
    pub location: String,
    /// Counts of its requests.
    pub counts: Arc<MapCounts>,
}

/// Counts of a URI map since it was installed.
#[derive(Debug, Default)]
pub(crate) struct MapCounts {
    /// Requests that match.
    pub matched: AtomicU64,
    /// Of them, while it was disabled.
    pub disabled: AtomicU64,
    /// Of them, that were sent elsewhere.
    pub redirected: AtomicU64,
}

/// Sources of an answer without a task. `*` at the end takes the text for the `*` of the path.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// TEMPLATENAME.
    Template(String),
    /// HFSFILE.
    File(String),
}

impl UriMap {
    fn of(definition: &Definition) -> Result<Self, String> {
        let Definition { name, .. } = definition;
        let owned = |attribute: &str| definition.get(attribute).map(str::to_owned);
        let usage = match definition.get("USAGE") {
            Some("CLIENT") => Usage::Client,
            Some("PIPELINE") => Usage::Pipeline,
            Some("ATOM") => return Err(format!("URIMAP {name} has USAGE(ATOM): there are no Atom feeds")),
            Some("JVMSERVER") => {
                return Err(format!("URIMAP {name} has USAGE(JVMSERVER): there are no Java programs"));
            }
            _ => Usage::Server,
        };
        let location = owned("LOCATION").unwrap_or_default();
        let map = Self {
            name: Name8::from(name.as_str()),
            transaction: definition.get("TRANSACTION").map(TransactionName::from),
            program: definition.get("PROGRAM").map(Name8::from),
            converter: definition.get("CONVERTER").map(Name8::from),
            is_analyzed: definition.is("ANALYZER", "YES"),
            user: definition.get("USERID").map(Name8::from),
            pipeline: definition.get("PIPELINE").map(Name8::from),
            webservice: definition.get("WEBSERVICE").map(ServiceName::from),
            page: owned("TEMPLATENAME").map(Source::Template).or(owned("HFSFILE").map(Source::File)),
            media: owned("MEDIATYPE").map(|media| media.to_ascii_lowercase()),
            character_set: owned("CHARACTERSET"),
            code_page: owned("HOSTCODEPAGE"),
            port: definition.number("PORT").and_then(|port| port.try_into().ok()),
            matches: urimap::Definition {
                name: name.clone(),
                usage,
                scheme: if definition.is("SCHEME", "HTTPS") { Scheme::Https } else { Scheme::Http },
                host: definition.get("HOST").unwrap_or("*").to_owned(),
                path: definition.get("PATH").unwrap_or("/").to_owned(),
                service: owned("TCPIPSERVICE"),
                enabled: !definition.is("STATUS", "DISABLED"),
                redirect: redirect(definition.get("REDIRECTTYPE"), &location),
            },
            certificate: owned("CERTIFICATE"),
            ciphers: ciphers(definition).map_err(|why| format!("URIMAP {name}: {why}"))?,
            keeps: keeps(definition)?,
            location,
            counts: Arc::default(),
        };
        map.complete()?;
        Ok(map)
    }

    /// Returns true if requests to servers may use it.
    pub fn is_for_clients(&self) -> bool {
        self.matches.enabled && self.matches.usage == Usage::Client
    }

    /// Checks that a definition has a target.
    fn complete(&self) -> Result<(), String> {
        let name = self.name;
        self.matches.check().map_err(|why| format!("URIMAP {name}: {why}"))?;
        let leads = self.program.is_some() || self.page.is_some() || self.matches.redirect.is_some();
        let leads = leads || self.is_analyzed || self.converter.is_some();
        match self.matches.usage {
            Usage::Server if !leads && self.transaction.is_none() => Err(format!(
                "URIMAP {name} leads nowhere: it needs PROGRAM, TRANSACTION, TEMPLATENAME, HFSFILE or REDIRECTTYPE"
            )),
            Usage::Server if matches!(self.page, Some(Source::Template(_))) && self.media.is_none() => {
                Err(format!("URIMAP {name} needs MEDIATYPE for the template that it answers with"))
            }
            _ if !self.certificate.as_deref().is_none_or(is_label) => {
                Err(format!("URIMAP {name}: CERTIFICATE names no file of the keyring"))
            }
            Usage::Pipeline if self.pipeline.is_none() => Err(format!("URIMAP {name} needs PIPELINE")),
            _ => Ok(()),
        }
    }
}

/// Time for which connections are kept.
fn keeps(definition: &Definition) -> Result<Option<Duration>, String> {
    let Some(text) = definition.get("SOCKETCLOSE") else { return Ok(None) };
    let name = &definition.name;
    let time = hhmmss(text)
        .ok_or_else(|| format!("URIMAP {name} has SOCKETCLOSE({text}): a time as hhmmss is expected"))?;
    Ok(Some(time).filter(|time| !time.is_zero()))
}

fn redirect(kind: Option<&str>, location: &str) -> Option<Redirect> {
    let permanent = match kind {
        Some("PERMANENT") => true,
        Some("TEMPORARY") => false,
        _ => return None,
    };
    Some(Redirect { permanent, location: location.to_owned() })
}

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
