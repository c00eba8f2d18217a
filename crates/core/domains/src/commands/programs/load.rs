//! LOAD and RELEASE.

use std::sync::Arc;

use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::Name8;
use kernel::programs::{Image, LoadError, Programs};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, WaitKind};

/// These commands.
pub(super) const HANDLERS: Answers =
    &[(cmd::LOAD, Handler::Waits(load)), (cmd::RELEASE, Handler::Now(release))];

/// RESP2 of LENGERR for a program that LENGTH cannot tell of.
const LONGER_THAN_HALFWORD: i32 = 19;
/// RESP2 of INVREQ for a program that would RELEASE itself.
const RELEASES_ITSELF: i32 = 5;

/// LOAD: the image's address and length. Without HOLD it is the task's. Order of checks: program, length.
fn load<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let name: Name8 = call.need_name(opt::PROGRAM)?;
        task.level_mut().eib.set_resource(name);
        let loaded = task.wait(WaitKind::PROGRAM, image(task, name)).await?;
        let image = loaded?;
        let (address, length) = (image.address(), image.length());
        if call.has(opt::LENGTH) && i16::try_from(length).is_err() {
            return Err(cond::LENGERR.raise(LONGER_THAN_HALFWORD));
        }
        if call.keyword(opt::HOLD) {
            Programs::of(&task.region).images().hold(image);
        } else {
            task.loads.add(image);
        }
        call.put_pointer(opt::SET, address)?;
        call.put_pointer(opt::ENTRY, address)?;
        call.put_number(opt::LENGTH, length as i64)?;
        call.put_number(opt::FLENGTH, length as i64)
    })
}

async fn image(task: &Task, name: Name8) -> Result<Arc<Image>, LoadError> {
    let programs = Programs::of(&task.region);
    let module = programs.module(&*programs.usable(name)?).await?;
    if let Some(image) = programs.images().of(name, &module) {
        return Ok(image);
    }
    let whose = Arc::clone(&module);
    match tokio::task::spawn_blocking(move || whose.bytes()).await {
        Ok(Ok(bytes)) => Ok(programs.images().add(&task.region.arena, name, module, &bytes)),
        Ok(Err(why)) => {
            tracing::error!(target: "PG", "program {name}: LOAD cannot have its module: {why}");
            Err(LoadError::NotLoadable)
        }
        Err(panic) => {
            tracing::error!(target: "PG", "program {name}: its module was not read: {panic}");
            Err(LoadError::NotLoadable)
        }
    }
}

/// RELEASE: the task's own use goes first, else a hold.
fn release(task: &mut Task, call: &Call<'_>) -> Outcome {
    let name: Name8 = call.need_name(opt::PROGRAM)?;
    task.level_mut().eib.set_resource(name);
    Programs::of(&task.region).usable(name)?;
    if name == task.level().program {
        return Err(cond::INVREQ.raise(RELEASES_ITSELF));
    }
    match task.loads.take(name) {
        true => Ok(()),
        false => Programs::of(&task.region).images().release(name),
    }
}
