//! DB2CONN as operators have it: its definition comes and goes, INQUIRE and SET.

use std::sync::Arc;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Given, Key, Kind, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use crate::connection::Phase;
use crate::region::Attachment;
use crate::resources::choices::{self, sets_choice, sets_number, sets_text};
use crate::resources::{Db2conn, Resources};

/// Attributes of a DB2CONN definition.
static DEFINED: Defined = Defined {
    resource: ResourceType::Db2conn,
    create: cmd::CREATE_DB2CONN,
    discard: cmd::DISCARD_DB2CONN,
    reads: &[
        "CONNECTERROR",
        "DB2ID",
        "DROLLBACK",
        "MSGQUEUE1",
        "MSGQUEUE2",
        "MSGQUEUE3",
        "STANDBYMODE",
        "TCBLIMIT",
        "THREADERROR",
        "THREADLIMIT",
        "THREADWAIT",
    ],
    without_effect: &[
        ("AUTHID", "statements run as the database's user of [sql] in region.toml"),
        ("DB2GROUPID", "DB2ID names a server of region.toml"),
        ("PLAN", "a program's statements are its own package"),
    ],
    elsewhere: None,
    needs: &[],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let (name, resources) = (&definition.name, Resources::of(region));
        if let Some(other) = resources.conn().filter(|other| other.name != *name && !other.is_supplied) {
            return Err(format!("DB2CONN {} is installed: a region has one", other.name));
        }
        resources.set_conn(Some(Db2conn::of(definition)));
        Ok(())
    },
    may_replace: |region, _| match Resources::of(region).conn() {
        Some(conn) if conn.is_supplied => Ok(()),
        _ => may_go(region),
    },
    may_discard: |region, name| {
        let conn = Resources::of(region).conn();
        let is_there = conn.is_some_and(|conn| conn.name.as_bytes() == name.trim_ascii_end());
        if is_there { may_go(region) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
    },
    remove: |region, _| Resources::of(region).set_conn(None),
    status: None,
};

/// RESP2 of NOTFND: there is no DB2CONN.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ: the region is connected. Its number is recalled, not read.
const CONNECTED: i32 = 2;
/// RESP2 of INVREQ for a value that is none.
const REFUSED: i32 = 0;

fn may_go(region: &Region) -> Outcome {
    // While it is being ended, units of work still have threads of it.
    let phase = Attachment::of(region).phase();
    if matches!(phase, Phase::Connected | Phase::Disconnecting) {
        return Err(cond::INVREQ.raise(CONNECTED));
    }
    Ok(())
}

/// INQUIRE and SET of the connection.
static CONNECTIONS: Resource<Arc<Db2conn>> = Resource {
    name: opt::DB2CONN,
    key: Key::None,
    names: |by| Resources::of(&by.region).conn().map(|_| Vec::new()).into_iter().collect(),
    find: |by, _| Resources::of(&by.region).conn(),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::CONNECTST, |by, _| {
            Value::Cvda(match Attachment::of(&by.region).phase() {
                Phase::NotConnected => "NOTCONNECTED",
                Phase::Connecting => "CONNECTING",
                Phase::Connected => "CONNECTED",
                Phase::Disconnecting => "DISCONNING",
            })
        }),
        (opt::CONNECTERROR, |_, c| c.attributes.chosen(&choices::CONNECTERROR)),
        (opt::STANDBYMODE, |_, c| c.attributes.chosen(&choices::STANDBYMODE)),
        (opt::THREADLIMIT, |_, c| c.attributes.count("THREADLIMIT")),
        (opt::THREADS, |_, c| Value::Number(c.pool.used() as i64)),
        (opt::THREADWAIT, |_, c| c.attributes.chosen(&choices::THREADWAIT)),
        (opt::THREADERROR, |_, c| c.attributes.chosen(&choices::THREADERROR)),
        (opt::TCBLIMIT, |_, c| c.attributes.count("TCBLIMIT")),
        (opt::TCBS, |_, c| Value::Number(c.tcbs.used() as i64)),
        (opt::DB2ID, |_, c| c.attributes.text("DB2ID", 4)),
        (opt::DB2GROUPID, |_, c| c.attributes.text("DB2GROUPID", 4)),
        (opt::DROLLBACK, |_, c| c.attributes.chosen(&choices::DROLLBACK)),
        (opt::PLAN, |_, c| c.attributes.text("PLAN", 8)),
        (opt::PLANEXITNAME, |_, c| c.attributes.text_unless("PLAN", "PLANEXITNAME", 8)),
        (opt::PRIORITY, |_, c| c.attributes.chosen(&choices::PRIORITY)),
        (opt::ACCOUNTREC, |_, c| c.attributes.chosen(&choices::ACCOUNTREC)),
        (opt::AUTHID, |_, c| c.attributes.text("AUTHID", 8)),
        (opt::AUTHTYPE, |_, c| c.attributes.chosen_unless("AUTHID", &choices::AUTHTYPE)),
        (opt::COMAUTHID, |_, c| c.attributes.text("COMAUTHID", 8)),
        (opt::COMAUTHTYPE, |_, c| c.attributes.chosen_unless("COMAUTHID", &choices::COMAUTHTYPE)),
        (opt::COMTHREADLIM, |_, c| c.attributes.count("COMTHREADLIM")),
        // DSNC has no commands of Db2's own.
        (opt::COMTHREADS, |_, _| Value::Number(0)),
        (opt::SIGNID, |by, c| match c.attributes.get("SIGNID").as_str() {
            "" => Value::padded(&by.region.options.applid.to_string(), 8),
            signid => Value::padded(signid, 8),
        }),
        (opt::MSGQUEUE1, |_, c| c.attributes.text("MSGQUEUE1", 4)),
        (opt::MSGQUEUE2, |_, c| c.attributes.text("MSGQUEUE2", 4)),
        (opt::MSGQUEUE3, |_, c| c.attributes.text("MSGQUEUE3", 4)),
        (opt::STATSQUEUE, |_, c| c.attributes.text("STATSQUEUE", 4)),
        (opt::PURGECYCLEM, |_, c| Value::Number(c.attributes.purge_cycle().0 as i64)),
        (opt::PURGECYCLES, |_, c| Value::Number(c.attributes.purge_cycle().1 as i64)),
        (opt::RESYNCMEMBER, |_, c| c.attributes.chosen(&choices::RESYNCMEMBER)),
        (opt::REUSELIMIT, |_, c| c.attributes.count("REUSELIMIT")),
        (opt::NONTERMREL, |_, c| c.attributes.chosen(&choices::NONTERMREL)),
    ],
    settings: &[
        number(opt::THREADLIMIT, |_, c, to| {
            c.attributes.set("THREADLIMIT", to.number().to_string());
            c.pool.limit_to(to.number() as usize);
            Ok(())
        }),
        number(opt::TCBLIMIT, |_, c, to| {
            c.attributes.set("TCBLIMIT", to.number().to_string());
            c.tcbs.limit_to(to.number() as usize);
            Ok(())
        }),
        sets_choice!(THREADWAIT, THREADWAIT),
        sets_choice!(CONNECTERROR, CONNECTERROR),
        sets_choice!(STANDBYMODE, STANDBYMODE),
        sets_choice!(ACCOUNTREC, ACCOUNTREC),
        Setting {
            option: opt::AUTHTYPE,
            takes: Takes::OneOf(choices::AUTHTYPE.keywords),
            resp2: REFUSED,
            set: Set::Now(|_, c, to| {
                c.attributes.choose(&choices::AUTHTYPE, to);
                c.attributes.set("AUTHID", "");
                Ok(())
            }),
        },
        Setting {
            option: opt::COMAUTHTYPE,
            takes: Takes::OneOf(choices::COMAUTHTYPE.keywords),
            resp2: REFUSED,
            set: Set::Now(|_, c, to| {
                c.attributes.choose(&choices::COMAUTHTYPE, to);
                c.attributes.set("COMAUTHID", "");
                Ok(())
            }),
        },
        sets_text!(AUTHID),
        sets_text!(COMAUTHID),
        sets_number!(COMTHREADLIM, 0..=2000),
        sets_text!(MSGQUEUE1),
        sets_text!(MSGQUEUE2),
        sets_text!(MSGQUEUE3),
        sets_text!(STATSQUEUE),
        sets_choice!(NONTERMREL, NONTERMREL),
        sets_text!(PLAN),
        sets_text!(PLANEXITNAME, blanks "PLAN"),
        sets_choice!(PRIORITY, PRIORITY),
        Setting {
            option: opt::PURGECYCLEM,
            takes: Takes::Number(0..=59),
            resp2: REFUSED,
            set: Set::Now(|_, c, to| {
                let (_, seconds) = c.attributes.purge_cycle();
                c.attributes.set("PURGECYCLE", format!("{to},{seconds}"));
                Ok(())
            }),
        },
        Setting {
            option: opt::PURGECYCLES,
            takes: Takes::Number(0..=59),
            resp2: REFUSED,
            set: Set::Now(|_, c, to| {
                let (minutes, _) = c.attributes.purge_cycle();
                c.attributes.set("PURGECYCLE", format!("{minutes},{to}"));
                Ok(())
            }),
        },
        sets_choice!(RESYNCMEMBER, RESYNCMEMBER),
        sets_number!(REUSELIMIT, 0..=10_000),
        sets_text!(SIGNID),
        Setting {
            option: opt::DB2ID,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|by, c, to| {
                may_go(&by.region)?;
                c.attributes.put("DB2ID", to);
                c.attributes.set("DB2GROUPID", "");
                Ok(())
            }),
        },
        Setting {
            option: opt::DB2GROUPID,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|by, c, to| {
                may_go(&by.region)?;
                c.attributes.put("DB2GROUPID", to);
                c.attributes.set("DB2ID", "");
                Ok(())
            }),
        },
        Setting {
            option: opt::CONNECTST,
            takes: Takes::OneOf(&[("CONNECTED", opt::CONNECTED), ("NOTCONNECTED", opt::NOTCONNECTED)]),
            resp2: REFUSED,
            set: Set::Among(|by, _, to, given| {
                Box::pin(async move {
                    let is =
                        |how: &str| given.iter().any(|(option, given)| *option == opt::BUSY && given.is(how));
                    let attachment = Attachment::of(&by.region);
                    match () {
                        () if to.is("CONNECTED") => attachment.start(by).await,
                        () if is("FORCE") => attachment.end(by, true, true).await,
                        () => attachment.end(by, !is("NOWAIT"), false).await,
                    }
                })
            }),
        },
        Setting {
            option: opt::BUSY,
            takes: Takes::OneOf(&[("WAIT", opt::WAIT), ("NOWAIT", opt::NOWAIT), ("FORCE", opt::FORCE)]),
            resp2: REFUSED,
            set: Set::No,
        },
    ],
};

const fn number(
    option: spec::OptionId,
    set: fn(&kernel::registry::Manager, &Arc<Db2conn>, &Given) -> Outcome,
) -> Setting<Arc<Db2conn>> {
    Setting { option, takes: Takes::Number(1..=2000), resp2: REFUSED, set: Set::Now(set) }
}

/// INQUIRE DB2CONN, SET DB2CONN.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_DB2CONN, Handler::Now(|task, call| CONNECTIONS.inquire(task, call))),
    (cmd::SET_DB2CONN, Handler::Waits(|task, call| Box::pin(CONNECTIONS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "DB2CONN",
    table: &CONNECTIONS,
    inquire: cmd::INQUIRE_DB2CONN,
    set: Some(cmd::SET_DB2CONN),
    defined: Some(&DEFINED),
};
