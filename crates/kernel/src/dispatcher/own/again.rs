//! CALL of a program that this level has CALLed before from the same place, and the way back: nothing is looked up, and no memory
//! is asked for.
//!
//! States of a place that CALLs: *unknown* → *known*, when `call` has entered a program that qualifies → *unknown* again, when
//! programs of the level are CANCELled or another one with ENTRYs comes. A level keeps the copy of a program that it has entered.
//! What does not qualify goes the long way: arguments that are copies, RETURNING, LOCAL-STORAGE, ENTRY, INITIAL.

use std::sync::Arc;

use cobol_ir::program::{Argument, BlockId, Leave, Line};
use cobol_ir::run::{Abend as Ended, Answer, Fault, Machine};
use foldhash::HashMap;
use native::Unit;

use super::activation::{Active, Addresses, Programs};
use super::call::give_back_code;
use super::walk::Rests;
use crate::limits::CALL_DEPTH_MAX;
use crate::storage::Window;

/// A place that CALLs: the unit's address, which the level keeps, the program in it, the call of the host.
type Site = (usize, usize, u32);

/// What a level knows of programs that it may enter again.
#[derive(Default)]
pub(super) struct Again {
    /// Which of the programs a place CALLs.
    sites: HashMap<Site, usize>,
    programs: Vec<Ready>,
}

/// A program, ready to be entered.
struct Ready {
    unit: Arc<Unit>,
    program: usize,
    /// What its records of the linkage section hold before it has parameters.
    linkage: Vec<u32>,
    /// How many of its first parameters are the interface block and the COMMAREA.
    interface: usize,
    /// It, as it was left; none while it runs.
    left: Option<Active>,
}

/// A place of a program that stands at a CALL.
fn site_of(caller: &Active) -> Option<(Site, u32)> {
    let site = caller.code()?.site(caller.at)?;
    Some(((Arc::as_ptr(&caller.unit) as usize, caller.program, site), site))
}

impl Again {
    /// Nothing is known any more: what programs have been left with.
    pub fn forget(&mut self) -> impl Iterator<Item = Active> {
        self.sites.clear();
        std::mem::take(&mut self.programs).into_iter().filter_map(|ready| ready.left)
    }

    /// Another program has come: names may mean something else.
    pub fn forget_sites(&mut self) {
        self.sites.clear();
    }

    /// A program is entered the long way: what it was left with, which must not be entered beside it.
    pub fn take(&mut self, unit: &Arc<Unit>, program: usize) -> Option<Active> {
        let is_it = |ready: &&mut Ready| Arc::ptr_eq(&ready.unit, unit) && ready.program == program;
        self.programs.iter_mut().find(is_it)?.left.take()
    }
}

impl Programs {
    /// The program that was just entered by a CALL of the one below it may be entered the same way again.
    pub fn is_called_again(&mut self) {
        let [.., caller, called] = self.stack.as_mut_slice() else { return };
        let Some((place, site)) = site_of(caller) else { return };
        let (Some(own), Some(code)) = (caller.code(), called.code()) else { return };
        let Some(site) = own.program().sites.get(site as usize) else { return };
        let program = code.program();
        let by_reference = |argument: &Argument| matches!(argument, Argument::Reference(_));
        let qualifies = site.returning.is_none()
            && site.arguments.iter().all(by_reference)
            && program.returning.is_none()
            && program.local.is_empty()
            && !program.initial;
        let Some(frame) = called.frame.as_ref().filter(|_| qualifies) else { return };
        let is_it = |ready: &Ready| Arc::ptr_eq(&ready.unit, &called.unit) && ready.program == called.program;
        let known = self.again.programs.iter().position(is_it);
        let ready = known.unwrap_or_else(|| {
            let mut linkage = frame.activation.linkage.clone();
            program.parameters.iter().for_each(|parameter| linkage[*parameter as usize] = 0);
            let interface = Self::interface_of(program, &program.parameters);
            let unit = Arc::clone(&called.unit);
            let program = called.program;
            self.again.programs.push(Ready { unit, program, linkage, interface, left: None });
            self.again.programs.len() - 1
        });
        called.again = Some(ready);
        self.again.sites.insert(place, ready);
    }

    /// The program that runs rests: whether another one goes on at once, since it is such a CALL, or the end of what was called so.
    ///
    /// # Errors
    /// An argument is not there.
    pub fn goes_on(&mut self, window: &mut Window, rests: &Rests) -> Result<bool, Ended> {
        match rests {
            Rests::Left(Leave::Return) => Ok(self.returns_again(window)),
            Rests::Host(block) => match self.calls_again(window) {
                Some(Err(fault)) => Err(self.ended(fault, *block)),
                entered => Ok(entered.is_some()),
            },
            _ => Ok(false),
        }
    }

    /// A fault at the end of a block of the program that runs.
    fn ended(&self, fault: Fault, block: BlockId) -> Ended {
        let ended = self.stack.last().and_then(|active| Some(active.code()?.abend_at(fault, block)));
        ended.unwrap_or_else(|| Ended { fault, program: String::new(), line: Line { line: 0, member: None } })
    }

    /// The program that runs has come to a call of the host: if that is such a CALL, the program is entered. None if it has to go the
    /// long way.
    fn calls_again(&mut self, window: &mut Window) -> Option<Result<(), Fault>> {
        let caller = self.stack.last_mut()?;
        let (place, site) = site_of(caller)?;
        let ready = self.again.programs.get_mut(*self.again.sites.get(&place)?)?;
        if self.stack.len() >= CALL_DEPTH_MAX {
            return None;
        }
        let caller = self.stack.last_mut()?;
        // It runs already: a recursive CALL.
        let mut called = ready.left.take()?;
        let mut addresses = Addresses::new();
        if let Err(fault) = addresses_of(caller, window, site, &mut addresses) {
            ready.left = Some(called);
            return Some(Err(fault));
        }
        if addresses.first() != Some(&self.interface[0]) {
            addresses.insert_from_slice(0, &self.interface[..ready.interface]);
        }
        caller.wanted = None;
        let code = ready.unit.program(ready.program)?;
        let frame = called.frame.as_mut()?;
        frame.begin(&ready.linkage);
        frame.activation.pass(&code.program().parameters, &addresses);
        (called.at, called.line, called.stand, called.wanted) = (BlockId(0), 0, None, None);
        self.stack.push(called);
        Some(Ok(()))
    }

    /// A program that was entered so has come to its end: its caller goes on. False if that has to be done the long way.
    fn returns_again(&mut self, window: &mut Window) -> bool {
        let [.., caller, called] = self.stack.as_mut_slice() else { return false };
        let Some(place) = called.again.filter(|_| caller.wanted.is_none()) else { return false };
        let behind = caller.code().and_then(|code| code.behind(caller.at, Answer::Continue).ok());
        let (Some(behind), Some(ready)) = (behind, self.again.programs.get_mut(place)) else { return false };
        give_back_code(window, called, caller);
        caller.at = behind;
        // A recursive program may have been left before.
        let before = std::mem::replace(&mut ready.left, self.stack.pop());
        before.into_iter().for_each(|before| before.gives_back(window));
        true
    }
}

/// Where the arguments of a CALL lie; zero of those that have no address.
fn addresses_of(
    caller: &mut Active,
    window: &mut Window,
    site: u32,
    into: &mut Addresses,
) -> Result<(), Fault> {
    let Active { unit, program, frame, .. } = caller;
    let code = unit.program(*program).ok_or(Fault::Host)?;
    let own = frame.as_mut().ok_or(Fault::Host)?;
    let mut machine = Machine::resumed(code.program(), &mut window.storage, own);
    machine.references(site, |address| into.push(address))
}
