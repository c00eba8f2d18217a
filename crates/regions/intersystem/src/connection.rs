//! CONNECTION: a region of this machine.

use std::sync::Arc;

use csd::{Definition, ResourceType};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::{Name, Name8};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Given, Key, Kind, Manager, Resource, Set, Setting, Takes};
use operation::system::AllSessions;
use spec::{cmd, cond, opt};

use crate::partner::{Partner, Sort, Status};
use crate::shipping;
use crate::systems::Systems;

/// RESP2 of SYSIDERR: no such connection. Recalled, not read.
const NOT_FOUND: i32 = 9;
/// RESP2 of INVREQ of SET: ACQUIRED of what is out of service, or without links at all; of other values. Recalled, not read.
const NOT_IN_SERVICE: i32 = 2;
const VALUE: i32 = 3;
/// RESP2 of INVREQ of DISCARD: it is in use. Recalled, not read.
const IN_USE: i32 = 2;

/// The characters of names of systems, of networks, and of a remote network name.
const SYSTEM: usize = 4;
const NETWORK: usize = 8;

/// The thing: what a CONNECTION definition becomes.
pub(crate) static DEFINED: Defined = Defined {
    resource: ResourceType::Connection,
    create: cmd::CREATE_CONNECTION,
    discard: cmd::DISCARD_CONNECTION,
    reads: &[
        "ACCESSMETHOD",
        "INSERVICE",
        "ATTACHSEC",
        "MAXQTIME",
        "NETNAME",
        "PROTOCOL",
        "QUEUELIMIT",
        "XLNACTION",
    ],
    without_effect: &[
        ("AUTOCONNECT", "connections of this machine are made when IRC is open"),
        ("BINDSECURITY", "the socket belongs to the region's own user"),
        ("USEDFLTUSER", "ATTACHSEC says whose rights count"),
    ],
    elsewhere: None,
    needs: &[],
    refuses: check,
    install: |region, definition| Systems::of(region).add(Sort::Connection, definition),
    may_replace: |region, name| match found(region, name) {
        Some(partner) => released(&partner),
        None => Ok(()),
    },
    may_discard: |region, name| {
        released(&*found(region, name).ok_or_else(|| cond::SYSIDERR.raise(NOT_FOUND))?)
    },
    remove: |region, name| Systems::of(region).remove(Sort::Connection, Name8::new(name)),
    status: None,
};

/// Returns true if a definition leads to a region of this machine.
fn check(definition: &Definition) -> Result<(), String> {
    let is_here = matches!(definition.get("ACCESSMETHOD"), Some("IRC" | "XM"));
    let protocol = definition.get("PROTOCOL").filter(|protocol| !protocol.is_empty());
    match (is_here, protocol) {
        (true, None) => Ok(()),
        (true, Some(protocol)) => {
            Err(format!("PROTOCOL({protocol}) is not built: a region of this machine has none; leave it out"))
        }
        (false, _) => Err(String::from(
            "only ACCESSMETHOD(IRC) and ACCESSMETHOD(XM) are built; an IPCONN leads to another machine",
        )),
    }
}

fn found(region: &Region, name: &[u8]) -> Option<Arc<Partner>> {
    Systems::of(region).partner(Sort::Connection, name)
}

/// INVREQ where a partner is in service, or its link is still there.
pub(crate) fn released(partner: &Partner) -> Outcome {
    let state = partner.state.lock();
    if state.status == Status::Released && !state.in_service {
        Ok(())
    } else {
        Err(cond::INVREQ.raise(IN_USE))
    }
}

/// INQUIRE and SET.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_CONNECTION, Handler::Now(|task, call| CONNECTIONS.inquire(task, call))),
    (cmd::SET_CONNECTION, Handler::Waits(|task, call| Box::pin(CONNECTIONS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "CONNECTION",
    table: &CONNECTIONS,
    inquire: cmd::INQUIRE_CONNECTION,
    set: Some(cmd::SET_CONNECTION),
    defined: Some(&DEFINED),
};

/// Acquires or releases the link, as SET asks.
pub(crate) fn acquire(by: &Manager, partner: &Arc<Partner>, to: &Given) -> Outcome {
    let systems = Systems::of(&by.region);
    let can = match partner.sort {
        Sort::Connection => systems.irc_is_open(),
        Sort::Ipconn => systems.setup().isc,
    };
    let acquires = to.is("ACQUIRED");
    if acquires && !(can && partner.state.lock().in_service) {
        return Err(cond::INVREQ.raise(NOT_IN_SERVICE));
    }
    partner.change(|state| state.wanted = acquires);
    Ok(())
}

/// Puts a partner in or out of service.
pub(crate) fn serve(by: &Manager, partner: &Arc<Partner>, to: &Given) -> Outcome {
    let (in_service, irc) = (to.is("INSERVICE"), Systems::of(&by.region).irc_is_open());
    partner.change(|state| {
        let was = std::mem::replace(&mut state.in_service, in_service);
        match in_service {
            true if !was && partner.sort == Sort::Connection => state.wanted = irc,
            true => {}
            false => state.wanted = false,
        }
    });
    Ok(())
}

/// Purges what waits for a session, or breaks the link off.
pub(crate) fn purge(_: &Manager, partner: &Arc<Partner>, to: &Given) -> Outcome {
    if to.is("CANCEL") || to.is("FORCECANCEL") {
        partner.sessions.purge();
    } else {
        partner.change(|state| state.breaks = true);
    }
    Ok(())
}

/// PENDSTATUS: PENDING if the partner cannot decide any more about what is in doubt here.
pub(crate) fn pending(by: &Manager, partner: &Partner) -> Value {
    Value::either(shipping::is_pending(&by.region, partner), "PENDING", "NOTPENDING")
}

/// The settings that both types of partners have; their order is that in which they are done.
pub(crate) const fn settings() -> [Setting<Arc<Partner>>; 6] {
    [
        Setting {
            option: opt::SERVSTATUS,
            takes: Takes::OneOf(&[("INSERVICE", opt::INSERVICE), ("OUTSERVICE", opt::OUTSERVICE)]),
            resp2: VALUE,
            set: Set::Now(serve),
        },
        Setting { option: opt::CONNSTATUS, takes: ACQUIRES, resp2: VALUE, set: Set::Now(acquire) },
        Setting {
            option: opt::PURGETYPE,
            takes: Takes::OneOf(&[
                ("CANCEL", opt::CANCEL),
                ("FORCECANCEL", opt::FORCECANCEL),
                ("FORCEPURGE", opt::FORCEPURGE),
                ("KILL", opt::KILL),
                ("PURGE", opt::PURGE),
            ]),
            resp2: VALUE,
            set: Set::Now(purge),
        },
        Setting {
            option: opt::PENDSTATUS,
            takes: Takes::OneOf(&[("NOTPENDING", opt::NOTPENDING)]),
            resp2: VALUE,
            set: Set::Waits(shipping::not_pending),
        },
        Setting {
            option: opt::RECOVSTATUS,
            takes: Takes::OneOf(&[("NORECOVDATA", opt::NORECOVDATA)]),
            resp2: VALUE,
            set: Set::Waits(shipping::no_recovery),
        },
        Setting {
            option: opt::UOWACTION,
            takes: Takes::OneOf(&[
                ("BACKOUT", opt::BACKOUT),
                ("COMMIT", opt::COMMIT),
                ("FORCEUOW", opt::FORCEUOW),
                ("RESYNC", opt::RESYNC),
            ]),
            resp2: VALUE,
            set: Set::Waits(shipping::act),
        },
    ]
}

const ACQUIRES: Takes = Takes::OneOf(&[("ACQUIRED", opt::ACQUIRED), ("RELEASED", opt::RELEASED)]);

static SETTINGS: [Setting<Arc<Partner>>; 7] = {
    let [serves, acquires, purges, pending, recovery, units] = settings();
    // ACQSTATUS is the old name of CONNSTATUS.
    let old = Setting { option: opt::ACQSTATUS, takes: ACQUIRES, resp2: VALUE, set: Set::Now(acquire) };
    [serves, old, acquires, purges, pending, recovery, units]
};

fn sessions(by: &Manager, partner: &Partner) -> (u32, u32) {
    let name = Name::from(partner.definition.name.as_str());
    let sessions = AllSessions::of(&by.region).of_connection(name);
    sessions.map_or((0, 0), |sessions| (sessions.sends, sessions.receives))
}

/// The options of INQUIRE CONNECTION, and those of SET. Options of other access methods are NOTAPPLIC, or blank.
static CONNECTIONS: Resource<Arc<Partner>> = Resource {
    name: opt::CONNECTION,
    key: Key::Name,
    names: |by| {
        let partners = Systems::of(&by.region).partners(Sort::Connection);
        partners.iter().map(|partner| partner.name.as_bytes()[..SYSTEM].to_vec()).collect()
    },
    find: |by, name| found(&by.region, name),
    missing: Raise::Condition(cond::SYSIDERR, NOT_FOUND),
    rows: &[
        (opt::ACCESSMETHOD, |_, p| Value::either(p.definition.is("ACCESSMETHOD", "XM"), "XM", "IRC")),
        (opt::ACQSTATUS, |_, p| Value::Cvda(p.state.lock().status.cvda())),
        (opt::AIDCOUNT, |_, _| Value::Number(0)),
        (opt::AUTOCONNECT, |_, p| {
            Value::Cvda(match p.text("AUTOCONNECT") {
                "YES" => "AUTOCONN",
                "ALL" => "ALLCONN",
                _ => "NONAUTOCONN",
            })
        }),
        (opt::CONNSTATUS, |_, p| Value::Cvda(p.state.lock().status.cvda())),
        (opt::CONNTYPE, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::CQP, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::EXITTRACING, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::GRNAME, |_, _| Value::padded("", NETWORK)),
        (opt::LINKSYSTEM, |_, _| Value::padded("", SYSTEM)),
        (opt::MEMBERNAME, |_, _| Value::padded("", NETWORK)),
        (opt::NETNAME, |_, p| Value::text(p.applid)),
        (opt::NQNAME, |_, _| Value::padded("", NETWORK)),
        (opt::PENDSTATUS, |by, p| pending(by, p)),
        (opt::PROTOCOL, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::RECEIVECOUNT, |by, p| Value::Number(sessions(by, p).1.into())),
        (opt::RECOVSTATUS, |_, _| Value::Cvda("NORECOVDATA")),
        (opt::REMOTENAME, |_, p| Value::padded(p.text("REMOTENAME"), SYSTEM)),
        (opt::REMOTESYSNET, |_, p| Value::padded(p.text("REMOTESYSNET"), NETWORK)),
        (opt::REMOTESYSTEM, |_, p| Value::padded(p.text("REMOTESYSTEM"), SYSTEM)),
        (opt::SENDCOUNT, |by, p| Value::Number(sessions(by, p).0.into())),
        (opt::SERVSTATUS, |_, p| Value::either(p.state.lock().in_service, "INSERVICE", "OUTSERVICE")),
        (opt::XLNSTATUS, |_, _| Value::Cvda("NOTAPPLIC")),
        (opt::ZCPTRACING, |_, _| Value::Cvda("NOTAPPLIC")),
    ],
    settings: &SETTINGS,
};
