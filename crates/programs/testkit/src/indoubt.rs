//! A unit of work that lost its coordinator: something that no program can do to itself.

use std::sync::Arc;

use kernel::name::QueueName;
use kernel::name::{Name8, Name16, TerminalName, TransactionName};
use kernel::recovery::{Identity, UnitId};
use kernel::region::Region;
use records::{Decider, Decision, Engine, UnitOfWork, Wait};
use vsam::{Name, Result, Search, Vsam};

/// The task that has left it.
const TASK: u32 = 99;

/// Writes records, each in the place of one with its key or new, in a unit of work that stays indoubt.
pub(crate) async fn leave(vsam: &Vsam, data_set: &str, records: &[String]) -> Result<()> {
    let data_set = vsam.dataset(&data_set.parse::<Name>()?).await?;
    let engine = vsam.engine();
    let mut unit = engine.begin(engine.locks().new_owner());
    let length = data_set.cluster().maximum;
    for line in records {
        let record = format!("{line:<length$}").into_bytes();
        let key = data_set.key_field().and_then(|field| field.of(&record)).unwrap_or_default();
        let mut former = Vec::new();
        match data_set.read_for_update(&mut *unit, Search::equal(key), Wait::No, &mut former).await {
            Ok(found) => data_set.rewrite(&mut *unit, &found.base, &record, Wait::No).await?,
            Err(vsam::Error::NotFound) => {
                drop(data_set.write(&mut *unit, Some(key), &record, Wait::No).await?)
            }
            Err(error) => return Err(error),
        }
    }
    prepare(engine, unit).await
}

/// Writes records to a logically recoverable queue, in a unit of work that stays indoubt: as the kernel writes them, behind
/// the lock of its writers.
pub(crate) async fn leave_queue(region: &Region, queue: &str, records: &[String]) -> Result<()> {
    let (engine, store) = (&region.records, region.stores.transient_data);
    let mut unit = engine.begin(engine.locks().new_owner());
    let name = QueueName::from(queue);
    unit.lock(store, &[name.as_bytes().as_slice(), b"W"].concat(), Wait::No).await?;
    for (number, record) in (0_u64..).zip(records) {
        let key = [name.as_bytes().as_slice(), &number.to_be_bytes()].concat();
        unit.put(store, &key, record.as_bytes()).await?;
    }
    prepare(engine, unit).await
}

/// Writes an item to a recoverable temporary storage queue, in a unit of work that stays indoubt: it has the lock of the queue, and
/// must not commit, for it says nowhere that the queue has the item.
pub(crate) async fn leave_ts_queue(region: &Region, queue: &str, records: &[String]) -> Result<()> {
    let (engine, store) = (&region.records, region.stores.temporary_storage);
    let mut unit = engine.begin(engine.locks().new_owner());
    let key = |number: u32| [Name16::from(queue).as_bytes().as_slice(), &number.to_be_bytes()].concat();
    unit.lock(store, &key(0), Wait::No).await?;
    for (number, record) in (1..).zip(records) {
        unit.put(store, &key(number), record.as_bytes()).await?;
    }
    prepare(engine, unit).await
}

/// The coordinator comes back: all that is in doubt commits.
pub(crate) async fn commit_all(region: &Region) -> Result<()> {
    for unit in region.records.indoubt()? {
        region.records.resolve(&unit.name, Decision::Commit, Decider::Coordinator).await?;
    }
    Ok(())
}

async fn prepare(engine: &Arc<dyn Engine>, mut unit: Box<dyn UnitOfWork>) -> Result<()> {
    let identity = Identity {
        unit: UnitId(engine.indoubt()?.len() as u64 + 1),
        task: TASK,
        transaction: TransactionName::from("GONE"),
        terminal: TerminalName::BLANK,
        user: Name8::from("NOBODY"),
        coordinated_as: b"testkit".to_vec(),
    };
    Ok(unit.prepare(&identity.to_name()).await?)
}
