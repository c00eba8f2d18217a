//! INQUIRE UOWENQ, and INQUIRE ENQ, which is the same: the locks and enqueues that units of work have or wait for.
//!
//! Locks of records and queues are those of this region's own engine, or of this region in a database or at a record server.

use std::collections::HashMap;

use records::{Holding, LockOf, Memory, Owner, Resource as Locked, StoreId};
use spec::{cmd, cond, opt};

use domains::enqueue::{Enqueued, enqueued};
use domains::files::Files;
use domains::temporary_storage::queue_of_lock;
use domains::transient_data::{QueueEnd, end_of_lock};
use kernel::exec::value::Value;
use kernel::exec::{Answers, Call, Handler};
use kernel::locks::{LockWords, words_of};
use kernel::name::{Name, TransactionName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::recovery::{NetworkName, UnitId};
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::task::Task;

use super::uow::{Unit, age, units};
use super::uow_browse::Listing;

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::INQUIRE_ENQ, Handler::Now(inquire)), (cmd::INQUIRE_UOWENQ, Handler::Now(inquire))];

/// RESP2 of UOWNOTFOUND.
const NOT_FOUND: i32 = 1;
/// Characters of RESOURCE and of QUALIFIER.
const NAME_LENGTH: usize = 255;

/// Object of a lock, in the words of the published interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    kind: &'static str,
    resource: Vec<u8>,
    qualifier: Vec<u8>,
    scope: Name<4>,
}

/// A lock that a unit of work has or waits for.
pub(super) struct Enqueue {
    object: Object,
    waits: bool,
    retained: bool,
    refusals: u32,
    seconds: u32,
    task: u32,
    transaction: TransactionName,
    network_name: NetworkName,
}

pub(super) static ENQUEUES: Listing<Enqueue> = Listing {
    all: enqueues,
    rows: &[
        (opt::DURATION, |_, e| Value::Number(e.seconds.into())),
        (opt::ENQFAILS, |_, e| Value::Number(e.refusals.into())),
        (opt::ENQSCOPE, |_, e| Value::text(e.object.scope)),
        (opt::NETUOWID, |_, e| Value::text(e.network_name.as_bytes())),
        (opt::QUALIFIER, |_, e| whole(&e.object.qualifier)),
        (opt::QUALLEN, |_, e| Value::Number(e.object.qualifier.len().min(NAME_LENGTH) as i64)),
        (opt::RELATION, |_, e| Value::either(e.waits, "WAITER", "OWNER")),
        (opt::RESLEN, |_, e| Value::Number(e.object.resource.len().min(NAME_LENGTH) as i64)),
        (opt::RESOURCE, |_, e| whole(&e.object.resource)),
        (opt::STATE, |_, e| Value::either(e.retained, "RETAINED", "ACTIVE")),
        (opt::TASKID, |_, e| Value::Number(e.task.into())),
        (opt::TRANSID, |_, e| Value::text(e.transaction)),
        (opt::TYPE, |_, e| Value::Cvda(e.object.kind)),
    ],
};

/// Bytes as a whole field, the rest blank.
fn whole(bytes: &[u8]) -> Value {
    let mut field = bytes.to_vec();
    field.resize(NAME_LENGTH, b' ');
    Value::text(field)
}

fn inquire(task: &mut Task, call: &Call<'_>) -> Outcome {
    let begins = call.keyword(opt::START);
    let unit = if begins { call.bytes(opt::UOW)? } else { None };
    let scope = if begins { call.name::<4>(opt::ENQSCOPE)? } else { None };
    let length = call.number(opt::RESLEN)?.and_then(|length| usize::try_from(length).ok());
    let resource = match length {
        _ if !begins => None,
        Some(length) => call.bytes_of(opt::RESOURCE, length.min(NAME_LENGTH))?,
        None => call.bytes(opt::RESOURCE)?,
    };
    if let Some(unit) = &unit
        && !units(&Manager::of(task)).iter().any(|(id, _)| id.to_bytes().as_slice() == &**unit)
    {
        return Err(cond::UOWNOTFOUND.raise(NOT_FOUND));
    }
    ENQUEUES.browse(task, call, |id, enqueue| {
        unit.as_ref().is_none_or(|unit| id.to_bytes().as_slice() == &**unit)
            && resource.as_ref().is_none_or(|resource| enqueue.object.resource == **resource)
            && scope.is_none_or(|scope| enqueue.object.scope == scope)
    })
}

/// The locks of owners and of units of work in doubt, here and elsewhere.
#[derive(Default)]
struct Held {
    of_owners: HashMap<Owner, Vec<LockOf>>,
    of_doubtful: HashMap<Vec<u8>, Vec<LockOf>>,
}

impl Held {
    fn of(region: &Region) -> Self {
        let mut held = Self::default();
        for lock in region.records.locks().list() {
            for (waiter, seconds) in &lock.waiters {
                let resource = lock.resource.clone();
                let waits = LockOf { resource, waits: true, retained: false, refusals: 0, seconds: *seconds };
                held.of_owners.entry(*waiter).or_default().push(waits);
            }
            let seconds = lock.held;
            let (retained, refusals) = (lock.retained, lock.refusals);
            let has = LockOf { resource: lock.resource, waits: false, retained, refusals, seconds };
            held.of_owners.entry(lock.owner).or_default().push(has);
        }
        for (by, lock) in region.records.held_elsewhere() {
            match by {
                Holding::Owner(owner) => held.of_owners.entry(owner).or_default().push(lock),
                Holding::Doubtful(name) => held.of_doubtful.entry(name).or_default().push(lock),
            }
        }
        held
    }

    /// The locks of a unit of work. A wait in a database is known by its owner alone.
    fn take(&mut self, region: &Region, unit: &Unit) -> Vec<LockOf> {
        let mut locks = match unit {
            Unit::Indoubt(unit, _) => self.of_doubtful.remove(&unit.name).unwrap_or_default(),
            Unit::InFlight(_) | Unit::Shunted(..) => Vec::new(),
        };
        let Some(owner) = unit.owner() else { return locks };
        locks.extend(self.of_owners.remove(&owner).unwrap_or_default());
        if !locks.iter().any(|lock| lock.waits)
            && let Some(resource) = region.records.awaited(owner)
        {
            locks.push(LockOf { resource, waits: true, retained: false, refusals: 0, seconds: 0 });
        }
        locks
    }
}

/// All locks and enqueues, by unit of work: those that it has, and the one for which it waits.
fn enqueues(by: &Manager) -> Vec<(UnitId, Enqueue)> {
    let region = &by.region;
    let (datasets, mut held) = (datasets(region), Held::of(region));
    let mut all = Vec::new();
    for (id, unit) in units(by) {
        // A lock that was there before the restart is in doubt for as long as its unit of work.
        let in_doubt = u32::try_from(age(&unit)).unwrap_or_default();
        let seconds = |lock: &LockOf| if lock.retained { lock.seconds.max(in_doubt) } else { lock.seconds };
        let shown = |lock: &LockOf| {
            let object = object(region, &datasets, &lock.resource)?;
            Some((lock.waits, object, lock.retained, lock.refusals, seconds(lock)))
        };
        let mut listed: Vec<_> = held.take(region, &unit).iter().filter_map(shown).collect();
        // What it has comes before what it waits for; locks have no order of their own.
        listed.sort();
        let ((task, transaction), network_name) = (unit.task(), unit.network_name(by));
        all.extend(listed.into_iter().map(|(waits, object, retained, refusals, seconds)| {
            (id, Enqueue { object, waits, retained, refusals, seconds, task, transaction, network_name })
        }));
    }
    all
}

/// The object of a lock; `None` if the lock is one that the region has for itself.
fn object(region: &Region, datasets: &HashMap<StoreId, String>, lock: &Locked) -> Option<Object> {
    let of = |kind, resource: &[u8], qualifier: &[u8]| Object {
        kind,
        resource: resource.to_vec(),
        qualifier: qualifier.to_vec(),
        scope: Name::BLANK,
    };
    let Some(store) = lock.store() else {
        return Some(match enqueued(lock.name())? {
            Enqueued::Name(name, scope) => Object { scope, ..of("EXECENQ", name, &[]) },
            Enqueued::Address(address) => of("EXECENQADDR", address, &[]),
        });
    };
    if store == region.stores.transient_data {
        let (queue, end) = end_of_lock(lock.name())?;
        let end = if end == QueueEnd::Read { b"FROMQ".as_slice() } else { b"TOQ" };
        return Some(of("TDQUEUE", queue.trimmed(), end));
    }
    if store == region.stores.temporary_storage {
        return Some(of("TSQUEUE", queue_of_lock(lock.name())?.trimmed(), &[]));
    }
    if Memory::has(store) {
        let file = Files::of(region).of_store(store)?;
        return Some(of("FILE", file.trimmed(), lock.name()));
    }
    if let Some(LockWords { resource, part }) = words_of(region, lock) {
        return Some(of("DATASET", resource.as_bytes(), part.as_bytes()));
    }
    Some(of("DATASET", datasets.get(&store)?.as_bytes(), lock.name()))
}

/// The names of the data sets whose records are in stores.
pub(super) fn datasets(region: &Region) -> HashMap<StoreId, String> {
    let entries = region.vsam.entries();
    entries.iter().filter_map(|entry| Some((entry.store?, entry.name().to_string()))).collect()
}
