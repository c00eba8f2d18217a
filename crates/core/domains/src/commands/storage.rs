//! GETMAIN, FREEMAIN, and the same for 64-bit programs: all are.

use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler, at_once};
use kernel::limits::GETMAIN_BYTES_MAX;
use kernel::meters::Figure;
use kernel::programs::Programs;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::storage::{StorageAddress, TaskStorage};
use kernel::task::{Reach, Task, freed};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::GETMAIN, at_once!(nearly always getmain)),
    (cmd::GETMAIN64, at_once!(nearly always getmain)),
    (cmd::FREEMAIN, Handler::Now(freemain)),
    (cmd::FREEMAIN64, Handler::Now(freemain)),
];

/// GETMAIN: storage of the task, or of the region with SHARED.
///
/// Order of checks: length, storage left. A region that is short on storage lets the task wait, unless NOSUSPEND says that
/// it will not.
async fn getmain(task: &mut Task, call: &Call<'_>) -> Outcome {
    let length = match call.number(opt::FLENGTH)? {
        Some(length) => length,
        None => call.number(opt::LENGTH)?.unwrap_or(0),
    };
    let length = usize::try_from(length).ok().filter(|n| (1..=GETMAIN_BYTES_MAX).contains(n));
    let Some(length) = length else { return Err(cond::LENGERR.raise(1)) };
    let fill = call.bytes_of(opt::INITIMG, 1)?.map_or(0, |image| image[0]);
    let (shared, may_wait) = (call.keyword(opt::SHARED), !call.keyword(opt::NOSUSPEND));
    let address = loop {
        let got = get(task, shared, length, fill);
        if got.is_ok() || !may_wait || !may_be_had(task, shared, length) {
            got.is_err().then(|| task.region.dsa.refuses());
            break got?;
        }
        task.wait_for_storage(task.region.dsa.free(TaskStorage::counts(length))).await?;
    };
    measure(task, call, (!shared).then_some(address), length);
    let owner: &[u8] = if shared { b"SHARED" } else { b"TASK" };
    task.traces_detail("SM", ("GETMAIN", owner, length as u64), || format!("at {address}"));
    call.put_pointer(opt::SET, address)
}

/// Returns true if the definition of the task's transaction or of its program says that it gets storage below 16 MB.
fn gets_below(task: &Task) -> bool {
    let of_program = |name| Programs::of(&task.region).get(name).is_some_and(|program| program.data_below);
    task.transaction.data_below || of_program(task.level().program)
}

/// Counts what was got: below the line if BELOW or a definition says so, above the bar by GETMAIN64, else between them. `own`: its address,
/// unless it is shared.
fn measure(task: &Task, call: &Call<'_>, own: Option<StorageAddress>, length: usize) {
    if task.performance().is_none() && !task.is_overseen() {
        return;
    }
    let reach = match call.command() {
        cmd::GETMAIN64 => Reach::Bits64,
        _ if call.keyword(opt::BELOW) || gets_below(task) => Reach::Bits24,
        _ => Reach::Bits31,
    };
    task.has_got(own, (reach, length));
    let Some(performance) = task.performance() else { return };
    let place = reach as usize;
    const SHARED: [(Figure, Figure); 3] = [
        (Figure::SharedGetmains24, Figure::SharedBytes24),
        (Figure::SharedGetmains31, Figure::SharedBytes31),
        (Figure::SharedGetmains64, Figure::SharedBytes64),
    ];
    const OWN: [Figure; 3] = [Figure::UserGetmains24, Figure::UserGetmains31, Figure::UserGetmains64];
    if own.is_none() {
        let (count, bytes) = SHARED[place];
        performance.add(count, 1);
        performance.add(bytes, length as u64);
    } else {
        performance.add(OWN[place], 1);
        performance.highest(Figure::UserStorage, task.storage.bytes() as u64);
        performance.holds(task.storage.bytes() as u64);
    }
}

fn get(task: &mut Task, shared: bool, length: usize, fill: u8) -> Outcome<StorageAddress> {
    if shared { task.region.shared_storage.lock().get(length, fill) } else { task.storage.get(length, fill) }
}

/// Returns true if only the storage of others is in the way: once they free it, there will be so much.
fn may_be_had(task: &Task, shared: bool, length: usize) -> bool {
    let room = if shared {
        task.region.shared_storage.lock().has_room(length)
    } else {
        task.storage.has_room(length)
    };
    room && task.storage.counted() + TaskStorage::counts(length) <= task.region.dsa.limit()
}

/// FREEMAIN: by DATA (the area itself) or DATAPOINTER (its address).
fn freemain(task: &mut Task, call: &Call<'_>) -> Outcome {
    let address = match call.pointer(opt::DATAPOINTER)? {
        Some(address) => address,
        None => call.address(opt::DATA).ok_or_else(|| cond::INVREQ.raise(1))?,
    };
    let own = task.storage.free(address);
    let is_own = own.is_some();
    if let Some(area) = &own {
        task.has_freed(address, area.len());
        if let Some(performance) = task.performance() {
            performance.holds(task.storage.bytes() as u64);
        }
    }
    let area = own.or_else(|| task.region.shared_storage.lock().free(address));
    let area = area.ok_or_else(|| cond::INVREQ.raise(1))?;
    let owner: &[u8] = if is_own { b"TASK" } else { b"SHARED" };
    task.traces_detail("SM", ("FREEMAIN", owner, area.len() as u64), || format!("at {address}"));
    if !is_own {
        task.adds(Figure::SharedBytesFreed, area.len());
    }
    area.overlay().map_or(Ok(()), |overlay| Err(freed(task, &overlay)))
}
