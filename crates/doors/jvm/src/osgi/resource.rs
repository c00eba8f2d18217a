//! INQUIRE OSGIBUNDLE and OSGISERVICE.

use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::signature::of_part;
use kernel::registry::{Key, Kind, Manager, Resource, digits, number};
use kernel::task::Task;
use spec::{cmd, cond, opt};

use super::{Installed, OsgiBundles, Service};
use crate::server::JvmServers;

/// RESP2 of NOTFND: no such bundle or service; no such JVMSERVER. Recalled, not read.
const NOT_FOUND: i32 = 1;
const NO_SERVER: i32 = 2;
/// Characters of names and versions.
const NAME: usize = 255;

/// INQUIRE.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_OSGIBUNDLE, Handler::Now(inquire_bundle)),
    (cmd::INQUIRE_OSGISERVICE, Handler::Now(inquire_service)),
];

/// The resource types.
pub(crate) static BUNDLE_KIND: Kind =
    Kind { name: "OSGIBUNDLE", table: &BUNDLES, inquire: cmd::INQUIRE_OSGIBUNDLE, set: None, defined: None };
pub(crate) static SERVICE_KIND: Kind = Kind {
    name: "OSGISERVICE",
    table: &SERVICES,
    inquire: cmd::INQUIRE_OSGISERVICE,
    set: None,
    defined: None,
};

/// A bundle by its names: the symbolic one, its version and its JVM server, since several may have one of these.
fn key(it: &Installed) -> Vec<u8> {
    [format!("{} {} ", it.symbolic_name, it.version).as_bytes(), it.server.as_bytes()].concat()
}

/// The table of bundles.
static BUNDLES: Resource<Installed> = Resource {
    name: opt::OSGIBUNDLE,
    key: Key::Name,
    names: |by| {
        let mut names: Vec<_> = OsgiBundles::of(&by.region).list().iter().map(|(_, it)| key(it)).collect();
        names.sort();
        names.dedup();
        names
    },
    // Of one that stops and one that is active, of one version, the later one.
    find: |by, name| {
        let all = OsgiBundles::of(&by.region).list();
        all.into_iter().rev().map(|(_, it)| it).find(|it| key(it) == name)
    },
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        // A browse gives the key first, and this in its place.
        (opt::OSGIBUNDLE, |_, it| Value::padded(&it.symbolic_name, NAME)),
        (opt::OSGIVERSION, |_, it| Value::padded(&it.version, NAME)),
        (opt::JVMSERVER, |_, it| Value::text(it.server)),
        (opt::BUNDLE, |_, it| Value::text(it.bundle)),
        (opt::BUNDLEPART, |_, it| Value::padded(&it.part_name, NAME)),
        (opt::OSGIBUNDLEID, |_, it| Value::Number(it.id)),
        (opt::OSGISTATUS, |_, it| Value::Cvda(it.status())),
        (opt::CHANGEAGENT, |by, it| of_part(by, it.bundle, opt::CHANGEAGENT)),
        (opt::CHANGEAGREL, |by, it| of_part(by, it.bundle, opt::CHANGEAGREL)),
        (opt::CHANGETIME, |by, it| of_part(by, it.bundle, opt::CHANGETIME)),
        (opt::CHANGEUSRID, |by, it| of_part(by, it.bundle, opt::CHANGEUSRID)),
        (opt::DEFINESOURCE, |by, it| of_part(by, it.bundle, opt::DEFINESOURCE)),
        (opt::DEFINETIME, |by, it| of_part(by, it.bundle, opt::DEFINETIME)),
        (opt::INSTALLAGENT, |by, it| of_part(by, it.bundle, opt::INSTALLAGENT)),
        (opt::INSTALLTIME, |by, it| of_part(by, it.bundle, opt::INSTALLTIME)),
        (opt::INSTALLUSRID, |by, it| of_part(by, it.bundle, opt::INSTALLUSRID)),
    ],
    settings: &[],
};

/// A service, and its bundle.
struct Offered {
    service: Service,
    of: Installed,
    /// It is the one that its name alone means: the highest version.
    is_first: bool,
}

fn offered(by: &Manager) -> Vec<Offered> {
    let all = OsgiBundles::of(&by.region).list();
    let services = |it: &Installed| it.services.clone();
    let is_same = |it: &Installed, other: &Installed, name: &str| {
        it.server == other.server && other.services.iter().any(|service| service.name == name)
    };
    let is_first = |place: usize, it: &Installed, name: &str| {
        // Of one version the bundle that came first counts.
        let others = all.iter().enumerate().filter(|(_, (_, other))| is_same(it, other, name));
        others
            .max_by(|(a, (_, one)), (b, (_, other))| one.order.cmp(&other.order).then(b.cmp(a)))
            .map(|(at, _)| at)
            == Some(place)
    };
    let of_one = |(place, (_, it)): (usize, &(u32, Installed))| {
        services(it)
            .into_iter()
            .map(|service| Offered { is_first: is_first(place, it, &service.name), service, of: it.clone() })
            .collect::<Vec<_>>()
    };
    all.iter().enumerate().flat_map(of_one).collect()
}

/// The table of services.
static SERVICES: Resource<Offered> = Resource {
    name: opt::OSGISERVICE,
    key: Key::Number,
    names: |by| offered(by).iter().map(|it| digits(it.service.id)).collect(),
    find: |by, name| {
        let id = number(name)?;
        offered(by).into_iter().find(|it| it.service.id == id)
    },
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::JVMSERVER, |_, it| Value::text(it.of.server)),
        (opt::BUNDLE, |_, it| Value::text(it.of.bundle)),
        (opt::BUNDLEPART, |_, it| Value::padded(&it.of.part_name, NAME)),
        (opt::OSGIBUNDLE, |_, it| Value::padded(&it.of.symbolic_name, NAME)),
        (opt::OSGIVERSION, |_, it| Value::padded(&it.of.version, NAME)),
        (opt::SRVCNAME, |_, it| Value::padded(&it.service.name, NAME)),
        (opt::SRVCSTATUS, |_, it| Value::either(it.is_first, "ACTIVE", "INACTIVE")),
    ],
    settings: &[],
};

/// The JVM server that a command names.
fn server(task: &Task, call: &Call<'_>) -> Outcome<Name8> {
    let name: Name8 = call.need_name(opt::JVMSERVER)?;
    match JvmServers::of(&task.region).get(name) {
        Some(_) => Ok(name),
        None => Err(cond::NOTFND.raise(NO_SERVER)),
    }
}

/// INQUIRE OSGIBUNDLE: by its name, its version and its JVM server, or by a browse through those of a JVM server.
fn inquire_bundle(task: &mut Task, call: &Call<'_>) -> Outcome {
    if call.keyword(opt::START) {
        let server = server(task, call)?;
        return BUNDLES.start(task, call, |name| name.ends_with(server.as_bytes()));
    }
    if call.keyword(opt::NEXT) || call.keyword(opt::END) {
        return BUNDLES.inquire(task, call);
    }
    let server = server(task, call)?;
    let text = |option| -> Outcome<String> {
        let bytes = call.bytes(option)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned())
    };
    let (name, version) = (text(opt::OSGIBUNDLE)?, text(opt::OSGIVERSION)?);
    let by = Manager::of(task);
    let all = OsgiBundles::of(&by.region).list();
    let is_it = |it: &Installed| it.symbolic_name == name && it.version == version && it.server == server;
    let found = all.into_iter().rev().map(|(_, it)| it).find(is_it);
    let found = found.ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))?;
    let given = [opt::OSGIBUNDLE, opt::OSGIVERSION, opt::JVMSERVER];
    let mut told = BUNDLES.rows.iter().filter(|(option, _)| !given.contains(option) && call.has(*option));
    told.try_for_each(|(option, value)| call.put_value(*option, &value(&by, &found)))
}

/// INQUIRE OSGISERVICE: by its number and its JVM server, or by a browse through those of a JVM server.
fn inquire_service(task: &mut Task, call: &Call<'_>) -> Outcome {
    let by = Manager::of(task);
    if call.keyword(opt::START) {
        let server = server(task, call)?;
        let is_of = |name: &[u8]| (SERVICES.find)(&by, name).is_some_and(|it| it.of.server == server);
        return SERVICES.start(task, call, is_of);
    }
    if call.keyword(opt::NEXT) || call.keyword(opt::END) {
        return SERVICES.inquire(task, call);
    }
    let server = server(task, call)?;
    let found = SERVICES.named(&by, call)?;
    if found.of.server != server {
        return Err(SERVICES.missing);
    }
    let mut told = SERVICES.rows.iter().filter(|(option, _)| *option != opt::JVMSERVER && call.has(*option));
    told.try_for_each(|(option, value)| call.put_value(*option, &value(&by, &found)))
}
