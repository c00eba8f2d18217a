//! JVMSERVER: the definition, INQUIRE and SET.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Changes, Defined, Given, Key, Kind, Manager, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use crate::limits::THREADS_MAX;
use crate::server::{JvmServer, JvmServers, Order, Status};
use crate::vitals::Vitals;
use crate::{life, output};

/// RESP2 of NOTFND: no such JVMSERVER. Those of INVREQ of SET and DISCARD. Recalled, not read.
const NOT_FOUND: i32 = 1;
const STATUS: i32 = 2;
const THREADLIMIT: i32 = 3;
const PURGETYPE: i32 = 4;
const NOT_DISABLED: i32 = 5;
const NOT_STARTED: i32 = 6;
/// Characters of the published fields.
const NAME: usize = 8;
const PATH: usize = 240;
const POLICY: usize = 32;

/// The definitions.
static DEFINED: Defined = Defined {
    resource: ResourceType::Jvmserver,
    create: cmd::CREATE_JVMSERVER,
    discard: cmd::DISCARD_JVMSERVER,
    reads: &["JVMPROFILE", "STATUS", "THREADLIMIT"],
    without_effect: &[],
    elsewhere: None,
    needs: &[&["JVMPROFILE"]],
    refuses: limits,
    install,
    may_replace: |region, name| found(region, name).map_or(Ok(()), |server| disabled(&server)),
    may_discard: |region, name| disabled(&*found(region, name).ok_or_else(|| cond::NOTFND.raise(NOT_FOUND))?),
    remove: |region, name| JvmServers::of(region).remove(Name8::new(name)),
    status: None,
};

fn limits(definition: &Definition) -> Result<(), String> {
    match definition.number("THREADLIMIT") {
        Some(limit) if !(1..=THREADS_MAX as u64).contains(&limit) => {
            Err(format!("THREADLIMIT({limit}) is not 1 to {THREADS_MAX}"))
        }
        _ => Ok(()),
    }
}

fn install(region: &Arc<Region>, definition: &Definition) -> Result<(), String> {
    let server = JvmServer::new(definition);
    JvmServers::of(region).add(Arc::clone(&server));
    if !definition.is("STATUS", "DISABLED") {
        // Before the region is there, it is started with it.
        life::start(region, &server, None);
    }
    Ok(())
}

fn disabled(server: &JvmServer) -> Outcome {
    if server.status() == Status::Disabled { Ok(()) } else { Err(cond::INVREQ.raise(NOT_DISABLED)) }
}

fn found(region: &Region, name: &[u8]) -> Option<Arc<JvmServer>> {
    JvmServers::of(region).get(Name8::new(name))
}

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_JVMSERVER, Handler::Now(|task, call| SERVERS.inquire(task, call))),
    (cmd::SET_JVMSERVER, Handler::Waits(|task, call| Box::pin(SERVERS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "JVMSERVER",
    table: &SERVERS,
    inquire: cmd::INQUIRE_JVMSERVER,
    set: Some(cmd::SET_JVMSERVER),
    defined: Some(&DEFINED),
};

/// The options of INQUIRE JVMSERVER, and those of SET.
static SERVERS: Resource<Arc<JvmServer>> = Resource {
    name: opt::JVMSERVER,
    key: Key::Name,
    names: |by| {
        JvmServers::of(&by.region).all().iter().map(|server| server.name.as_bytes().to_vec()).collect()
    },
    find: |by, name| found(&by.region, name),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::ENABLESTATUS, |_, server| Value::Cvda(server.status().cvda())),
        (opt::CURRENTHEAP, |_, server| of_heap(server, |vitals| vitals.heap)),
        (opt::GCPOLICY, |_, server| {
            Value::padded(&server.vitals().map_or_else(String::new, |(_, vitals)| vitals.policy), POLICY)
        }),
        (opt::INITHEAP, |_, server| of_heap(server, |vitals| vitals.heap_initial)),
        (opt::JAVAHOME, |_, server| path(server.home())),
        (opt::JVMPROFILE, |_, server| {
            Value::padded(server.definition.get("JVMPROFILE").unwrap_or_default(), NAME)
        }),
        (opt::MAXHEAP, |_, server| of_heap(server, |vitals| vitals.heap_max)),
        (opt::OCCUPANCY, |_, server| of_heap(server, |vitals| vitals.occupancy)),
        (opt::PROFILE, |by, server| path(Some(profile(&by.region, server)))),
        (opt::PROFILEDIR, |by, server| path(profile(&by.region, server).parent().map(Path::to_owned))),
        (opt::STDERR, |by, server| file(&by.region, server, "stderr")),
        (opt::STDOUT, |by, server| file(&by.region, server, "stdout")),
        (opt::WORKDIR, |by, _| path(Some(life::absolute(&by.region.options.application_folder)))),
        (opt::PID, |_, server| Value::Number(server.pid().into())),
        (opt::THREADCOUNT, |_, server| Value::Number(server.working() as i64)),
        (opt::THREADLIMIT, |_, server| Value::Number(server.limit() as i64)),
    ],
    settings: &[
        Setting {
            option: opt::THREADLIMIT,
            takes: Takes::Number(1..=THREADS_MAX as i64),
            resp2: THREADLIMIT,
            set: Set::Now(|_, server, to| {
                server.set_limit(usize::try_from(to.number()).unwrap_or(1));
                Ok(())
            }),
        },
        Setting {
            option: opt::ENABLESTATUS,
            takes: Takes::OneOf(&[("ENABLED", opt::ENABLED), ("DISABLED", opt::DISABLED)]),
            resp2: STATUS,
            set: Set::Among(|by, server, to, changes| {
                let outcome = enable(by, server, to.is("ENABLED"), changes);
                Box::pin(std::future::ready(outcome))
            }),
        },
        Setting {
            option: opt::PURGETYPE,
            takes: Takes::OneOf(&[
                ("PURGE", opt::PURGE),
                ("FORCEPURGE", opt::FORCEPURGE),
                ("KILL", opt::KILL),
            ]),
            resp2: PURGETYPE,
            set: Set::No,
        },
    ],
};

/// Bytes of the JVM's heap; none without a JVM.
fn of_heap(server: &JvmServer, of: fn(&Vitals) -> u64) -> Value {
    let bytes = server.vitals().map_or(0, |(_, vitals)| of(&vitals));
    Value::Number(i64::try_from(bytes).unwrap_or(i64::MAX))
}

fn path(path: Option<PathBuf>) -> Value {
    Value::padded(&path.map_or_else(String::new, |path| path.display().to_string()), PATH)
}

/// The file of one of its outputs; none in a region that starts no JVM.
fn file(region: &Region, server: &JvmServer, which: &str) -> Value {
    path(
        JvmServers::of(region)
            .folder()
            .map(|folder| output::file(&life::absolute(&folder), server.name, which)),
    )
}

/// The file of its profile.
fn profile(region: &Region, server: &JvmServer) -> PathBuf {
    life::profile(&life::absolute(&region.options.application_folder), server)
}

fn enable(by: &Manager, server: &Arc<JvmServer>, on: bool, changes: Changes<'_>) -> Outcome {
    if on {
        let is_begun =
            life::start(&by.region, server, Some(by.control())) || server.status() == Status::Enabled;
        return if is_begun { Ok(()) } else { Err(cond::INVREQ.raise(NOT_STARTED)) };
    }
    if !server.phases_out() {
        return Ok(());
    }
    // Before an order that ends it at once.
    life::has_changed(&by.region, Some(by.control()));
    let purge = changes.iter().find(|(option, _)| *option == opt::PURGETYPE).map(|(_, given)| given);
    match purge {
        Some(Given::Cvda("KILL")) => server.order(Order::Kill),
        Some(given) => server.purges(given.is("FORCEPURGE")),
        None => {}
    }
    Ok(())
}
