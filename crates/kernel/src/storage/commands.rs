//! GETMAIN, FREEMAIN, and the same for 64-bit programs: all are.

use spec::{cmd, cond, opt};

use crate::exec::{Answers, Call, Handler};
use crate::limits::GETMAIN_BYTES_MAX;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::GETMAIN, Handler::Now(getmain)),
    (cmd::GETMAIN64, Handler::Now(getmain)),
    (cmd::FREEMAIN, Handler::Now(freemain)),
    (cmd::FREEMAIN64, Handler::Now(freemain)),
];

/// GETMAIN: storage of the task, or of the region with SHARED.
///
/// Order of checks: length, storage left.
fn getmain(task: &mut Task, call: &Call<'_>) -> Outcome {
    let length = match call.number(opt::FLENGTH)? {
        Some(length) => length,
        None => call.number(opt::LENGTH)?.unwrap_or(0),
    };
    let length = usize::try_from(length).ok().filter(|n| (1..=GETMAIN_BYTES_MAX).contains(n));
    let Some(length) = length else { return Err(cond::LENGERR.raise(1)) };
    let fill = call.bytes_of(opt::INITIMG, 1)?.map_or(0, |image| image[0]);
    let address = if call.keyword(opt::SHARED) {
        task.region.shared_storage.lock().get(length, fill)?
    } else {
        task.storage.get(length, fill)?
    };
    call.put_pointer(opt::SET, address)
}

/// FREEMAIN: by DATA (the area itself) or DATAPOINTER (its address).
fn freemain(task: &mut Task, call: &Call<'_>) -> Outcome {
    let address = match call.pointer(opt::DATAPOINTER)? {
        Some(address) => address,
        None => call.address(opt::DATA).ok_or_else(|| cond::INVREQ.raise(1))?,
    };
    let freed = task.storage.free(address) || task.region.shared_storage.lock().free(address);
    if freed { Ok(()) } else { Err(cond::INVREQ.raise(1)) }
}
