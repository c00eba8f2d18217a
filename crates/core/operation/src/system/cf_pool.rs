//! INQUIRE CFDTPOOL: the pools of coupling-facility data tables that installed files name.
//!
//! A region is connected to a pool from the moment in which a file of it is open, as long as its records can be reached: a record server that is gone
//! takes the connections with it.

use std::collections::BTreeMap;

use spec::{cmd, cond, opt};

use domains::files::{Files, OpenStatus, TableKind};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::name::Name8;
use kernel::raise::Raise;
use kernel::registry::{Key, Manager, Resource};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_CFDTPOOL, Handler::Now(|task, call| POOLS.inquire(task, call)))];

/// RESP2 of NOTFND: no file names such a pool.
const NOT_FOUND: i32 = 1;

/// A pool that files name.
#[derive(Clone, Copy, Default)]
pub(super) struct Pool {
    connected: bool,
}

pub(super) static POOLS: Resource<Pool> = Resource {
    name: opt::CFDTPOOL,
    key: Key::Name,
    names: |by| pools(by).keys().map(|name| name.as_bytes().to_vec()).collect(),
    find: |by, name| pools(by).get(&Name8::new(name)).copied(),
    missing: Raise::Condition(cond::NOTFND, NOT_FOUND),
    rows: &[(opt::CONNSTATUS, |_, pool| Value::either(pool.connected, "CONNECTED", "UNCONNECTED"))],
    settings: &[],
};

fn pools(by: &Manager) -> BTreeMap<Name8, Pool> {
    let mut pools: BTreeMap<Name8, Pool> = BTreeMap::new();
    let is_reached = by.region.records.is_reached();
    for file in Files::of(&by.region).list() {
        let table = file.attribute(|attributes| attributes.table);
        if table.kind == TableKind::Coupling && !table.pool.is_blank() {
            pools.entry(table.pool).or_default().connected |=
                is_reached && file.open_status() != OpenStatus::Closed;
        }
    }
    pools
}
