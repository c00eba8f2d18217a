//! POST: an event control area that is posted when a time has come.

use std::sync::Arc;
use std::time::Duration;

use spec::{cmd, cond, opt};

use super::delay;
use crate::events::{Event, Events};
use crate::interval::IntervalControl;
use kernel::exec::{Answers, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::task::{Task, TaskPart};

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::POST, Handler::Now(post))];

/// A task's pending POST. It has one at a time; the next POST, CANCEL or the task's end withdraws it.
struct Posting {
    region: Arc<Region>,
    request: Name8,
    event: Arc<Event>,
}

/// The POST that a task has made last.
#[derive(Default)]
pub(super) struct LastPost(Option<Posting>);

impl TaskPart for LastPost {}

impl LastPost {
    /// Withdraws it; false if there is none.
    pub fn withdraw(&mut self) -> bool {
        self.0.take().is_some()
    }
}

impl Drop for Posting {
    fn drop(&mut self) {
        IntervalControl::of(&self.region).withdraw(self.request, &self.event);
        Events::of(&self.region).take_back(&self.event);
    }
}

/// POST: a time that has come already is EXPIRED, and the area is posted.
fn post(task: &mut Task, call: &Call<'_>) -> Outcome {
    let after = delay::due(call)?.filter(|after| *after > Duration::ZERO);
    let request: Name8 = match call.name(opt::REQID)? {
        Some(request) => request,
        None => IntervalControl::of(&task.region).new_request(),
    };
    task.kept.part::<LastPost>().0 = None;
    let region = Arc::clone(&task.region);
    let event = Events::of(&region).give_out(&region.arena);
    let posting = Posting { region: Arc::clone(&region), request, event };
    let event = &posting.event;
    match after {
        Some(after) => IntervalControl::of(&region).post(&region, request, event, after)?,
        None => event.post(),
    }
    task.level_mut().eib.set_request(request);
    call.put_pointer(opt::SET, event.address())?;
    task.kept.part::<LastPost>().0 = Some(posting);
    if after.is_some() { Ok(()) } else { Err(cond::EXPIRED.raise(0)) }
}
