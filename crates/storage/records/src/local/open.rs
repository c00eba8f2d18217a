//! Starting: the base, then the log's tail on top of it.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, RwLock};

use super::cold::Cold;
use super::core::Core;
use super::gate::Gate;
use super::pace::Pace;
use super::resealing::Resealing;
use super::resolved::Watchers;
use super::rotation::salt;
use crate::base::{Base, KeptBase, Lmdb, Patience, Space};
use crate::change::Changes;
use crate::clock::{Clock, TokioClock};
use crate::disk::{Disk, RealDisk, make_folder, make_private};
use crate::log::{Left, Queue, Segments, Writer, replay};
use crate::position::Position;
use crate::seal::{SealedBase, Sealing, Vault};
use crate::state::{CommittedState, DIRECTORY_SPACE};
use crate::{Depot, Direction, Error, Keys, Limits, Locks, Origin, Result, Trust};

/// Makes sure that no other process works in the folder.
pub(super) fn lock_folder(folder: &Path) -> Result<File> {
    let failed = |error| Error::io("the record engine's folder", &error);
    make_folder(folder).map_err(failed)?;
    let file = File::create(folder.join("lock")).map_err(failed)?;
    make_private(&folder.join("lock")).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(Error::Io(format!("{} is in use by another process", folder.display())))
        }
        Err(std::fs::TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// The name of the format of the data in a folder, as a line. A change of the format changes it.
pub const FORMAT: &str = "Syncpoint records, format 2\n";
/// Says which format a folder has.
const FORMAT_FILE: &str = "format";

/// Refuses a folder that was written in another format; a new one gets the present one.
pub(super) fn check_format(folder: &Path) -> Result<()> {
    let failed = |error| Error::io("the record engine's folder", &error);
    let path = folder.join(FORMAT_FILE);
    match std::fs::read_to_string(&path) {
        Ok(format) if format == FORMAT => Ok(()),
        Ok(format) if is_format(&format) => Err(Error::Format(format.trim().to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => damaged_format(folder),
        Ok(_) => damaged_format(folder),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
        Err(_) if folder.join("base").exists() || folder.join("log").exists() => {
            let help = format!(
                "there is no such file; if this version has written the data, write \"{}\" into it",
                FORMAT.trim_end()
            );
            Err(Error::Format(format!("Syncpoint records, format 1: {help}")))
        }
        Err(_) => write_format(folder),
    }
}

/// Returns true if a text is the name of a format: of another version, not damage.
fn is_format(text: &str) -> bool {
    let number =
        text.trim_end().strip_prefix(FORMAT.trim_end().trim_end_matches(|c: char| c.is_ascii_digit()));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The name of the format is not what was written. Without data, a first start was cut off.
fn damaged_format(folder: &Path) -> Result<()> {
    if folder.join("base").exists() || folder.join("log").exists() {
        let path = folder.join(FORMAT_FILE);
        let what = FORMAT.trim_end();
        return Err(Error::Io(format!(
            "{} is damaged: if this version has written the data, write the line \"{what}\" into it",
            path.display()
        )));
    }
    write_format(folder)
}

fn write_format(folder: &Path) -> Result<()> {
    let failed = |error| Error::io("the record engine's folder", &error);
    let path = folder.join(FORMAT_FILE);
    std::fs::write(&path, FORMAT).map_err(failed)?;
    make_private(&path).map_err(failed)?;
    File::open(&path).and_then(|file| file.sync_all()).map_err(failed)?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Opens what a folder holds.
pub(super) fn open_folder(folder: &Path, limits: Limits, keys: Keys, trust: Trust) -> Result<Arc<Core>> {
    check_format(folder)?;
    let disk = RealDisk::new(folder.join("log")).map_err(|e| Error::io("the log's folder", &e))?;
    let disk = disk.filling(limits.fills_segments);
    let base = Lmdb::open(&folder.join("base"), limits.base_bytes)?;
    let sealing = keys.now.map(|key| Ok(Sealing { key, former: keys.former, salt: salt()? }));
    let core = assemble(
        Arc::new(disk),
        Arc::new(base),
        Arc::new(TokioClock),
        (limits, trust),
        sealing.transpose()?,
    )?;
    if trust == Trust::AsItIs {
        // From here on nothing is read of the log that was accepted.
        core.checkpoint_always()?;
    }
    Ok(core)
}

/// Opens what lies elsewhere.
pub(super) fn open_elsewhere(
    disk: Arc<dyn Disk>,
    depot: Arc<dyn Depot>,
    limits: Limits,
    keys: Keys,
) -> Result<Arc<Core>> {
    let base = KeptBase::new(depot, limits.kept_bytes);
    // No thread of a task waits for a force.
    let limits = Limits { quick_force: Duration::ZERO, ..limits };
    let sealing = keys.now.map(|key| Ok(Sealing { key, former: keys.former, salt: salt()? }));
    assemble(disk, Arc::new(base), Arc::new(TokioClock), (limits, Trust::Checked), sealing.transpose()?)
}

/// Puts an engine together and brings it to the state of the last commit.
pub(crate) fn assemble(
    disk: Arc<dyn Disk>,
    base: Arc<dyn Base>,
    clock: Arc<dyn Clock>,
    (limits, trust): (Limits, Trust),
    sealing: Option<Sealing>,
) -> Result<Arc<Core>> {
    let has_log = Segments::exist(&*disk)?;
    let vault = Vault::open(&*base, has_log, sealing)?.map(Arc::new);
    let sealed = vault.as_ref().map(|vault| Arc::new(SealedBase::new(base.clone(), vault.clone())));
    let base = sealed.clone().map_or(base, |sealed| sealed as Arc<dyn Base>);
    let start = base.position()?;
    let segments = Arc::new(Segments::open(disk, limits.segment_bytes)?);
    match segments.marked() {
        Ok(None) if trust == Trust::Checked && (has_log || start != Position::default()) => {
            return Err(Error::Log("log/forced is missing".into()));
        }
        Err(Error::Log(_)) if trust == Trust::AsItIs => segments.forget_marks(),
        marked => drop(marked?),
    }
    let mut state = CommittedState::new(start);
    read_directory(&*base, &mut state)?;
    let end = replay(&segments, (start, trust), vault.as_deref(), &mut |unit| {
        unit.changes
            .into_iter()
            .try_for_each(|(store, key, mut record)| state.publish_one(store, &key, &mut record))
    })?;
    state.position = end;
    let aside = if limits.keeps_unforced { segments.aside(end.lsn, vault.clone())? } else { None };
    let mut left = Vec::new();
    let aside = aside.map(|(aside, units)| {
        left = units;
        Arc::new(Mutex::new(aside))
    });
    if trust == Trust::Checked {
        segments.mark_both(end)?;
    }

    let mut queue = Queue::new(segments.segment_bytes, vault);
    let mut writer = Writer::new(segments.clone(), end);
    if let Some(aside) = aside {
        put_back(left, &mut state, &mut queue)?;
        queue.keeps(Arc::clone(&aside));
        writer.keeps(aside);
    }

    // What a load had filled, but not yet given to its store, when the engine ended.
    let used: Vec<Space> = state.spaces().collect();
    let resting = base.spaces()?;
    resting.iter().filter(|space| !used.contains(space)).for_each(|space| state.doom(*space));
    let next_space = used.iter().chain(&resting).map(|space| space.0).max().unwrap_or(DIRECTORY_SPACE.0) + 1;
    let next_store = state.last_store().0 + 1;

    let gate = Gate::default();
    gate.start_of_log.store(start.lsn, Ordering::Relaxed);
    let core = Arc::new(Core {
        resolved: Watchers::default(),
        locks: Locks::new(clock.clone(), limits.locks_per_owner),
        clock,
        holders: Mutex::default(),
        versions: Arc::clone(state.versions()),
        state: RwLock::new(state),
        queue: Mutex::new(queue),
        bell: Condvar::new(),
        writer: Mutex::new(writer),
        pace: Pace::default(),
        segments,
        base,
        sealed,
        resealing: Resealing::default(),
        gate,
        cold: Cold::default(),
        checkpointing: Mutex::new(()),
        next_store: AtomicU32::new(next_store),
        next_space: AtomicU32::new(next_space),
        counts: Mutex::default(),
        limits,
    });
    core.restore_indoubt()?;
    Ok(core)
}

/// Makes those units of work again that a killed process has left beside the log: visible now, and in the log with the next group.
fn put_back(left: Vec<Left>, state: &mut CommittedState, queue: &mut Queue) -> Result<()> {
    for Left { number, unit } in left {
        let mut changes = Changes::default();
        unit.changes.into_iter().for_each(|(store, key, record)| changes.insert(store, &key, record));
        queue.add_kept(&changes, number)?;
        state.publish(&mut changes)?;
    }
    Ok(())
}

/// Learns what stores there are.
fn read_directory(base: &dyn Base, state: &mut CommittedState) -> Result<()> {
    let mut outcome = Ok(());
    base.scan(
        DIRECTORY_SPACE,
        Origin::Start,
        Direction::Forward,
        Patience::Waits,
        &mut |key, description| {
            outcome = state.describe(key, Some(description));
            outcome.is_ok()
        },
    )?;
    outcome
}
