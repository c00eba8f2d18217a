//! CALLs of code, carried out: the program that a place means is entered above its caller, and comes back into it.

use std::sync::Arc;

use cobol_ir::Program;
use cobol_ir::program::Leave;
use cobol_run::{Frame, Task};

use crate::calls::Unfinished;
use crate::code::context::{NOWHERE, STACK_MAX, Status, Within};
use crate::code::{Running, Work};
use crate::{CodeHost, Parts};

/// Bytes of RETURN-CODE.
const RETURN_CODE: usize = size_of::<i16>();

/// Calls the program at a place, if it is known: it has come to its end, and its caller goes on. `None` if code is to be left: its
/// program has to be entered another way, or stands among those that are unfinished.
#[inline]
pub(crate) fn called<H: CodeHost>(at: &mut Running<'_, H>, site: u32) -> Option<()> {
    let within = at.within()?;
    let depth = within.depth.checked_sub(1)?;
    let here = (&raw const depth).addr();
    if at.stack().wrapping_sub(here) > STACK_MAX {
        return None;
    }
    let origin = at.origin();
    let Work { program, frame, host, .. } = at.work();
    let Parts { storage, calls, .. } = host.parts()?;
    let calls = calls?;
    let number = calls.begin((within.number, site), program, storage, frame)?;
    let below = calls.programs.get_mut(number)?.ready_to_enter(origin, Within { number, depth })?;
    let status = below.run(at);
    if status != Status::left(Leave::Return) {
        return unfinished(at, number, status);
    }
    let context = at.context();
    let Work { program, frame, host, .. } = at.work();
    let Parts { storage, calls, .. } = host.parts()?;
    let calls = calls?;
    let ready = calls.programs.get(number)?;
    let code = ready.unit.program(ready.program)?;
    give_back_code(storage, (code.program(), ready.frame.as_deref()?), (program, frame));
    if let Some(entered) = &ready.entered {
        entered.set_called_from(NOWHERE);
    }
    let place = (within.number, site);
    if let Some(links) = calls.link(place, program, frame, (storage, number), depth) {
        context.links.set(links);
    }
    Some(())
}

/// A program that was called has been left before its end, with a status: it stands among those that are unfinished.
#[cold]
fn unfinished<H: CodeHost>(at: &mut Running<'_, H>, number: usize, status: Status) -> Option<()> {
    let context = at.context();
    let Work { host, .. } = at.work();
    let calls = host.parts()?.calls?;
    let ready = calls.programs.get_mut(number)?;
    let panic = ready.entered.as_ref()?.take_panic();
    let (unit, program, frame) = (Arc::clone(&ready.unit), ready.program, ready.take_frame()?);
    let code = unit.program(program)?;
    let reached = status.read().map_err(|(fault, line)| code.abend(fault, line));
    let unfinished = Unfinished { number, unit: Arc::clone(&unit), program, frame, reached };
    calls.unfinished.push(unfinished);
    if panic.is_some() {
        context.panic.set(panic);
    }
    None
}

/// The same of a program that code has entered by itself, from the CALL at a place.
pub(crate) fn left<H: CodeHost>(at: &mut Running<'_, H>, site: u32, status: Status) -> Option<()> {
    let within = at.within()?;
    let Work { program, host, .. } = at.work();
    let number = host.parts()?.calls?.entered_from((within.number, site), program)?;
    unfinished(at, number, status)
}

/// A program that code has entered by itself, from the CALL at a place, has called the host, and has come to its end.
pub(crate) fn has_called<H: CodeHost>(at: &mut Running<'_, H>, site: u32) -> Option<()> {
    let within = at.within()?;
    let Work { program, host, .. } = at.work();
    let calls = host.parts()?.calls?;
    let number = calls.entered_from((within.number, site), program)?;
    calls.programs.get(number)?.entered.as_ref()?.is_touched_no_more();
    Some(())
}

/// RETURN-CODE of a program that was called is that of its caller; one that has none leaves zero. A program within another has that of
/// the outermost one.
#[inline]
pub fn give_back_code(storage: &mut Task, called: (&Program, &Frame), caller: (&Program, &Frame)) {
    let place = |(program, frame): (&Program, &Frame)| frame.activation.return_code(program);
    let Some(to) = place(caller).filter(|_| called.0.container.is_none()) else { return };
    let from = place(called);
    let mut code = [0; RETURN_CODE];
    if from.is_none_or(|from| storage.read(from, &mut code)) {
        storage.write(to, &code);
    }
}
