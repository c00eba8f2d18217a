//! DB2TRAN: which transactions have which entry.

use ebcdic::Characters;
use std::sync::Arc;

use csd::ResourceType;
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::{Raise, RaiseCondition};
use kernel::registry::{Defined, Given, Key, Kind, Resource, Set, Setting, Takes};
use spec::{cmd, cond, opt};

use super::Resources;
use super::attributes::Attributes;

/// A DB2TRAN definition.
pub(crate) struct Db2tran {
    name: Name8,
    attributes: Attributes,
}

impl Db2tran {
    pub(super) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Its transactions: a name, `*` for any end, `+` for any character; its own name where it says nothing.
    pub(super) fn transid(&self) -> String {
        let given = self.attributes.get("TRANSID");
        if given.is_empty() { self.name.to_string() } else { given }
    }

    /// Their entry; empty: they use the pool.
    pub(super) fn entry(&self) -> String {
        self.attributes.get("ENTRY")
    }
}

/// Attributes of a DB2TRAN definition.
static DEFINED: Defined = Defined {
    resource: ResourceType::Db2tran,
    create: cmd::CREATE_DB2TRAN,
    discard: cmd::DISCARD_DB2TRAN,
    reads: &["ENTRY", "TRANSID"],
    without_effect: &[("PLAN", "a program's statements are its own package")],
    elsewhere: None,
    needs: &[],
    refuses: |_| Ok(()),
    install: |region, definition| {
        let name = Name8::from(definition.name.as_str());
        let tran = Arc::new(Db2tran { name, attributes: Attributes::of(definition) });
        Resources::of(region).trans.write().insert(name, tran);
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard: |region, name| {
        let is_there = Resources::of(region).trans.read().contains_key(&Name8::new(name));
        if is_there { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
    },
    remove: |region, name| drop(Resources::of(region).trans.write().remove(&Name8::new(name))),
    status: None,
};

/// RESP2 of NOTFND: there is none of that name.
const NOT_FOUND: i32 = 1;
/// RESP2 of INVREQ for a value that is none.
const REFUSED: i32 = 0;

/// INQUIRE and SET of DB2TRAN.
static TRANSACTIONS: Resource<Arc<Db2tran>> = Resource {
    name: opt::DB2TRAN,
    key: Key::Name,
    names: |by| {
        let trans = Resources::of(&by.region).trans.read();
        trans.keys().map(|name| name.as_bytes().to_vec()).collect()
    },
    find: |by, name| Resources::of(&by.region).trans.read().get(&Name8::new(name)).cloned(),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[
        (opt::DB2ENTRY, |_, t| Value::padded(&t.entry(), 8)),
        (opt::TRANSID, |_, t| Value::padded(&t.transid(), 4)),
        (opt::PLAN, |_, t| t.attributes.text("PLAN", 8)),
        (opt::PLANEXITNAME, |_, t| t.attributes.text("PLANEXITNAME", 8)),
    ],
    settings: &[
        Setting {
            option: opt::DB2ENTRY,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|_, tran, to| {
                set(tran, "ENTRY", to);
                Ok(())
            }),
        },
        Setting {
            option: opt::TRANSID,
            takes: Takes::Text,
            resp2: REFUSED,
            set: Set::Now(|_, tran, to| {
                set(tran, "TRANSID", to);
                Ok(())
            }),
        },
    ],
};

fn set(tran: &Db2tran, attribute: &'static str, to: &Given) {
    if let Given::Text(text) = to {
        let text = Characters::default().text(text.trim_ascii_end());
        tran.attributes.set(attribute, text);
    }
}

/// INQUIRE DB2TRAN, SET DB2TRAN.
pub(crate) const HANDLERS: Answers = &[
    (cmd::INQUIRE_DB2TRAN, Handler::Now(|task, call| TRANSACTIONS.inquire(task, call))),
    (cmd::SET_DB2TRAN, Handler::Waits(|task, call| Box::pin(TRANSACTIONS.set(task, call)))),
];

/// The type.
pub(crate) static KIND: Kind = Kind {
    name: "DB2TRAN",
    table: &TRANSACTIONS,
    inquire: cmd::INQUIRE_DB2TRAN,
    set: Some(cmd::SET_DB2TRAN),
    defined: Some(&DEFINED),
};
