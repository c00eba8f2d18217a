//! CALL of a program that this level has CALLed before from the same place, and the way back: nothing is looked up, and no memory
//! is asked for.
//!
//! Code does it itself where it may ([`native::Calls`]): a program that comes to its end is not seen here. Otherwise, as where
//! programs see storage of others, which is exchanged at each CALL, it is done between two stretches of code. What does not qualify
//! goes the long way: arguments that are copies, RETURNING, LOCAL-STORAGE, ENTRY, INITIAL.

use cobol_ir::program::{BlockId, Leave, Service};
use cobol_run::{Abend as Ended, Answer};
use native::{Calls, Interface, Reached, Within};
use smallvec::SmallVec;

use super::activation::{Active, Programs};
use super::call::give_back_code;
use super::rests::Rests;
use super::stands_at;
use crate::limits::CALL_DEPTH_MAX;
use crate::storage::Window;

/// A program that was CALLed from within code, or is entered again.
fn active(calls: &Calls, number: usize) -> Option<Active> {
    let (unit, program) = calls.program(number)?;
    Some(Active {
        unit: unit.clone(),
        program,
        frame: None,
        at: BlockId(0),
        line: 0,
        stand: None,
        temporary: SmallVec::new(),
        returning: None,
        wanted: None,
        again: Some(number),
        is_called_again: true,
        shown: None,
        _storage: None,
    })
}

impl Programs {
    /// The program that was just entered by a CALL of the one below it may be entered the same way again.
    pub fn is_called_again(&mut self, window: &Window) {
        let [.., caller, called] = self.stack.as_mut_slice() else { return };
        let (Some(own), Some(code)) = (caller.code(), called.code()) else { return };
        let (Some(site), Some(frame)) = (own.site(caller.at), called.frame.as_ref()) else { return };
        let program = code.program();
        let name = match own.program().sites.get(site as usize).map(|site| &site.service) {
            Some(Service::CallNamed(place)) => {
                let base = caller.frame.as_ref().and_then(|frame| frame.activation.base(place.segment));
                let length = usize::try_from(place.length.constant).unwrap_or(0);
                let at = base.and_then(|base| base.checked_add(u32::try_from(place.at.constant).ok()?));
                at.and_then(|at| window.read(at, length))
            }
            _ => None,
        };
        let count = Self::interface_of(program, &program.parameters);
        let interface = Interface { count, at: self.interface };
        let number = self.again.number_of(&called.unit, called.program);
        let caller_number = self.again.number_of(&caller.unit, caller.program);
        caller.again = Some(caller_number);
        if self.again.learn((caller_number, site), number, name.as_deref(), &frame.activation, interface) {
            (called.again, called.is_called_again) = (Some(number), true);
        }
    }

    /// Programs that the present program may CALL within its code.
    #[inline]
    pub fn within(&self) -> Option<Within> {
        let number = self.stack.last()?.again?;
        let depth = CALL_DEPTH_MAX.saturating_sub(self.stack.len());
        Some(Within { number, depth })
    }

    /// Puts programs that were CALLed from within code and have not come to their end above the present one: the
    /// place of the innermost. `None` if there are none.
    ///
    /// # Errors
    /// As of the code of that one.
    pub fn unfold(&mut self) -> Option<Result<Reached, Ended>> {
        let mut innermost = None;
        while let Some(unfinished) = self.again.take_unfinished() {
            let mut entered = active(&self.again, unfinished.number)?;
            entered.frame = Some(unfinished.frame);
            match &unfinished.reached {
                Ok(Reached::Host(block)) => {
                    let blocks = entered.code().map(|code| &code.program().blocks);
                    let line = blocks.and_then(|blocks| blocks.get(block.0 as usize)).map_or(0, |at| at.line);
                    (entered.at, entered.line) = (*block, line);
                }
                Ok(Reached::Left(_)) => {}
                Err(ended) => stands_at(&mut entered, &ended.line),
            }
            self.stack.push(entered);
            innermost = Some(unfinished.reached);
        }
        innermost
    }

    /// The program that runs rests: whether another one goes on at once, since it is such a CALL, or the end of what was called so.
    pub fn goes_on(&mut self, window: &mut Window, rests: &Rests) -> bool {
        match rests {
            Rests::Left(Leave::Return) => self.returns_again(window),
            Rests::Host(_) => self.calls_again(window).is_some(),
            _ => false,
        }
    }

    /// Handles a call of the host by the present program: if that is such a CALL, the program is entered. `None` if
    /// it has to go the long way.
    fn calls_again(&mut self, window: &mut Window) -> Option<()> {
        if self.stack.len() >= CALL_DEPTH_MAX {
            return None;
        }
        let Self { stack, again, .. } = self;
        let caller = stack.last_mut()?;
        let number = caller.again?;
        let code = caller.unit.program(caller.program)?;
        let site = code.site(caller.at)?;
        let frame = caller.frame.as_mut()?;
        let (called, frame) = again.enter((number, site), code.program(), &mut window.storage, frame)?;
        caller.wanted = None;
        let mut called = active(again, called)?;
        called.frame = Some(frame);
        stack.push(called);
        Some(())
    }

    /// A program that was entered so has come to its end: its caller goes on. False if that has to be done the long way.
    fn returns_again(&mut self, window: &mut Window) -> bool {
        let [.., caller, called] = self.stack.as_mut_slice() else { return false };
        let Some(number) = called.again.filter(|_| called.is_called_again && caller.wanted.is_none()) else {
            return false;
        };
        let behind = caller.code().and_then(|code| code.behind(caller.at, Answer::Continue).ok());
        let Some(behind) = behind else { return false };
        give_back_code(window, called, caller);
        caller.at = behind;
        if let Some(frame) = self.stack.pop().and_then(|called| called.frame) {
            self.again.give(number, frame);
        }
        true
    }
}
