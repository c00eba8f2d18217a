//! Calls of a routing program, and what it sees of a request beside its area.

use areas::Area;
use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise};
use kernel::task::{Commarea, TaskPart};

use crate::dypds::{Dypds, RoutingFault};
use crate::shipping::NotTaken;

/// The mark of a task whose routing program has control: nothing that it asks for is routed.
#[derive(Default)]
pub(super) struct Asks(pub bool);

impl TaskPart for Asks {}

/// Calls the routing program: the area as it leaves it.
pub(super) async fn call(context: &mut Context<'_>, router: Name8, area: Dypds) -> Outcome<Dypds> {
    let given = Area::with(area.bytes());
    context.task().kept.part::<Asks>().0 = true;
    let called = context.link(router, Some(&given), None).await;
    context.task().kept.part::<Asks>().0 = false;
    called.map_err(|abend| Raise::Abend(abend.code))?;
    let mut left = vec![0; given.len()];
    given.read(0, &mut left);
    Ok(Dypds::left(&left))
}

/// A routing program's copy of the COMMAREA: its pointer and length.
pub(super) type Passed = Option<(u32, usize)>;

/// The task has the COMMAREA as the routing program has left it.
pub(super) fn take_back(context: &mut Context<'_>, passed: Passed) {
    let Some((pointer, length)) = passed else { return };
    if let Some(bytes) = context.bytes_in_window(pointer, length) {
        context.level_mut().commarea = Some(Commarea::held(&bytes));
    }
}

/// A pointer to bytes that a program may read; 0 if there are none.
pub(super) fn held(context: &mut Context<'_>, bytes: &[u8]) -> Outcome<u32> {
    if bytes.is_empty() {
        return Ok(0);
    }
    let address = context.task().hold(bytes)?;
    context.own_pointer(address)
}

/// DYRERROR of a request that a system has not taken.
pub(super) fn fault_of(why: NotTaken, waits: bool) -> RoutingFault {
    match why {
        NotTaken::Unknown => RoutingFault::Unknown,
        NotTaken::NoLink => RoutingFault::NotThere,
        NotTaken::NoSession if waits => RoutingFault::Rejected,
        NotTaken::NoSession => RoutingFault::NoSession,
        NotTaken::Purged => RoutingFault::Purged,
        NotTaken::NoRoom => RoutingFault::NoRoom,
    }
}
