//! `CALL 'VSVPSYNC' USING pointer RETURNING code`: the answer to the last message goes out, and the next one comes.
//!
//! The unit of work of the last message ends first. One that has changed nothing ends where the program stands, and a
//! message that is there already is taken there, too: the program is not left for it.

use std::pin::pin;
use std::sync::Arc;

use kernel::clock::Moment;
use kernel::raise::{Outcome, Raise};
use kernel::services::{Answered, Service, ServiceCall};
use kernel::storage::TaskStorage;
use kernel::task::Task;
use kernel::trial::try_now;

use crate::called::{Called, Source};
use crate::hub::Next;
use crate::instance::{Instance, Left};
use crate::limits::IN_A_ROW_MAX;
use crate::region::Direct;
use crate::waits;

/// Return codes of the CALL.
mod code {
    /// There is a message.
    pub const MESSAGE: i32 = 0;
    /// There is none any more: the program is to end.
    pub const ENDS: i32 = 4;
    /// The task is no instance: it was started in another way.
    pub const NO_INSTANCE: i32 = 8;
}

/// The abend of a program that asks again though it was to end.
const DOES_NOT_END: &str = "AEXY";

impl Service for Direct {
    fn names(&self) -> &'static [&'static str] {
        &["VSVPSYNC"]
    }

    fn call<'a>(
        &'a self,
        task: &'a mut Task,
        call: &'a ServiceCall<'a>,
        tried: bool,
    ) -> Outcome<Answered<'a>> {
        if task.kept.get::<Instance>().is_none() {
            return Ok(Answered::Now(code::NO_INSTANCE));
        }
        let call = Called(call);
        call.renew_limit();
        part(task)?.asks(&call)?;
        call.shows_interface_block();
        match now(task, &call)? {
            Some(code) => Ok(Answered::Now(code)),
            None if tried => Ok(Answered::Left),
            None => Ok(Answered::Waits(Box::pin(next(task, call)))),
        }
    }
}

/// Ends the last message if it has changed nothing, and takes the next one if it is there; `None` if something has to be waited
/// for.
fn now(task: &mut Task, call: &Called<'_>) -> Outcome<Option<i32>> {
    if part(task)?.hand.is_some() {
        let left = left(task, call)?;
        if left.backs_out || !task.work.is_clean() || try_now(pin!(task.syncpoint()))?.is_none() {
            part(task)?.keeps(left);
            return Ok(None);
        }
        answers(task, &left, call)?;
    }
    while let Some(place) = taken_now(task)? {
        if let Some(code) = receives(task, call, place)? {
            return Ok(Some(code));
        }
    }
    Ok(None)
}

/// Ends the last message, and waits for the next one.
async fn next(task: &mut Task, call: Called<'_>) -> Outcome<i32> {
    if part(task)?.hand.is_some() {
        let left = left(task, &call)?;
        if left.backs_out {
            task.rollback().await;
        } else {
            task.syncpoint().await?;
        }
        answers(task, &left, &call)?;
    }
    let control = Arc::clone(&task.control);
    let instance = part(task)?;
    if instance.is_to_end {
        return Err(Raise::abend(DOES_NOT_END));
    }
    if !std::mem::replace(&mut instance.has_begun, true) {
        instance.hub.begins(instance.number, instance.lane, &control);
    }
    loop {
        let instance = part(task)?;
        let gives_way = std::mem::take(&mut instance.in_a_row) >= IN_A_ROW_MAX;
        let waiting = instance.hub.next(instance.lane, instance.number, &instance.edition);
        if gives_way {
            tokio::task::yield_now().await;
        }
        match control.wait(waits::MESSAGE.kind(), waiting).await? {
            Next::Message(place) => {
                if let Some(code) = receives(task, &call, place)? {
                    return Ok(code);
                }
            }
            Next::Ends => {
                part(task)?.is_to_end = true;
                return Ok(code::ENDS);
            }
        }
    }
}

fn part(task: &mut Task) -> Outcome<&mut Instance> {
    task.kept.get_mut().ok_or_else(|| Raise::abend(DOES_NOT_END))
}

/// The state in which the program has left its message.
fn left(task: &mut Task, call: &Called<'_>) -> Outcome<Left> {
    part(task)?.left(&Source::Call(call))
}

/// Sends the answer, and gives back the storage that the program has got for its message.
fn answers(task: &mut Task, left: &Left, call: &Called<'_>) -> Outcome {
    if task.storage.bytes() > 0 {
        call.forgets(&task.storage);
        task.storage = TaskStorage::of(&task.region.dsa);
    }
    let instance = part(task)?;
    instance.answers(left, &Source::Call(call));
    if let Some(own) = instance.own_user.take() {
        task.user = own;
    }
    Ok(())
}

/// A message that is there already, if the instance may take it.
fn taken_now(task: &mut Task) -> Outcome<Option<u32>> {
    let instance = part(task)?;
    if !instance.has_begun || instance.in_a_row >= IN_A_ROW_MAX || !instance.edition.is_present() {
        return Ok(None);
    }
    Ok(instance.hub.take(instance.lane, instance.number))
}

/// The program gets a message: what a task would begin with is as if it had begun. `None` if the message is answered without it.
fn receives(task: &mut Task, call: &Called<'_>, place: u32) -> Outcome<Option<i32>> {
    let instance = part(task)?;
    instance.in_a_row += 1;
    // Its client may be gone.
    let Some(mut message) = instance.hub.message(place) else { return Ok(None) };
    let client = message.user.take();
    let user = client.as_ref().unwrap_or(&task.user).id;
    let region = Arc::clone(&task.region);
    let Some(bytes) = part(task)?.begins_service(&region, place, user, message) else { return Ok(None) };
    if part(task)?.storage.is_none() {
        let fresh = TaskStorage::of(&task.region.dsa);
        let before = std::mem::replace(&mut task.storage, fresh);
        part(task)?.storage = Some(before);
    }
    if let Some(client) = client.filter(|_| part(task).is_ok_and(|instance| instance.scenario.said.as_client))
    {
        let own = std::mem::replace(&mut task.user, client);
        part(task)?.own_user.get_or_insert(own);
    }
    let (list, length) = part(task)?.receives(place, &bytes, call)?;
    let level = task.level_mut();
    level.eib.set_stamp(&Moment::now().stamp());
    level.eib.set_commarea_length(length);
    level.handles = kernel::task::Handles::default();
    level.own_channels.clear();
    call.put_list(list)?;
    Ok(Some(code::MESSAGE))
}
