//! CALL within code: a program that was CALLed before is called where its caller's code stands, and comes back into it.
//!
//! States of a place that CALLs: *unknown* → *known*, when somebody has entered the program and says so ([`Calls::learn`]) →
//! *unknown* again ([`Calls::forget`]). From an unknown place, and wherever something is not as it was, code is left as at any other
//! call of the host. A program that rests leaves all that stand below it, too: what each of them came to is kept
//! ([`Calls::take_unfinished`]), and nothing stays on the machine's stack.

use std::sync::Arc;

use cobol_ir::program::{Argument, Bounds, Place, Segment, Service};
use cobol_ir::{Program, program::Leave};
use cobol_run::{Abend, Activation, Fault, Frame, Machine, Task};

use crate::context::{Reached, Status};
use crate::{CodeHost, Parts, Runner, Unit};

/// Bytes of the machine's stack that programs called within code may take.
const STACK_MAX: usize = 64 << 10;
/// Bytes of an item with a program's name, at most: what is longer goes the long way.
const NAME_MAX: usize = 32;
/// Bytes of RETURN-CODE.
const RETURN_CODE: usize = size_of::<i16>();

/// What programs of a level know of one another.
#[derive(Default)]
pub struct Calls {
    programs: Vec<Ready>,
    /// The places of each of them, by their number among its calls of the host.
    places: Vec<Vec<Option<Known>>>,
    /// Programs that were left before their end, the innermost first.
    unfinished: Vec<Unfinished>,
}

/// A program that calls others, or may be called.
struct Ready {
    unit: Arc<Unit>,
    program: usize,
    /// What its records of the linkage section hold before it has arguments; none if it is not to be called.
    linkage: Option<Vec<u32>>,
    interface: Interface,
    /// Its frame, as it was left; none while it runs.
    frame: Option<Box<Frame>>,
}

/// The parameters in front that a program is given whether its caller names them or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interface {
    /// How many there are.
    pub count: usize,
    /// Their addresses: a caller that passes the first names them itself.
    pub at: [u32; 2],
}

/// A place whose program is known.
struct Known {
    program: usize,
    /// The item that holds the name, and what it held.
    name: Option<(Given, Box<[u8]>)>,
    /// Its arguments, if all lie at places that are known before the program runs.
    arguments: Option<Box<[Given]>>,
}

/// An item at a constant place of a segment.
struct Given {
    segment: Segment,
    at: u32,
    length: u32,
}

/// A program that was left before its end, called from within code.
pub struct Unfinished {
    /// Its number.
    pub number: usize,
    /// Its unit.
    pub unit: Arc<Unit>,
    /// Which program of it.
    pub program: usize,
    /// Its frame.
    pub frame: Box<Frame>,
    /// How far it has come: of all but the innermost, a CALL.
    pub reached: Result<Reached, Abend>,
}

/// What a program that may call others within its code is given.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// The number of the program that runs, among what is known ([`Parts::calls`]).
    pub number: usize,
    /// How many programs may stand above it.
    pub depth: usize,
}

impl Given {
    /// None where the place of the item depends on what the program does.
    fn of(place: &Place) -> Option<Self> {
        let (at, length) =
            (u32::try_from(place.at.constant).ok()?, u32::try_from(place.length.constant).ok()?);
        let is_within = match place.bounds {
            Bounds::Item { from, to } => at >= from && at.checked_add(length)? <= to && length > 0,
            _ => true,
        };
        let is_fixed = place.at.terms.is_empty() && place.length.terms.is_empty();
        let is_there = is_fixed && is_within && place.segment != Segment::Constant;
        is_there.then_some(Self { segment: place.segment, at, length })
    }

    /// Its place; zero without an address, `None` if that is no storage.
    #[inline]
    fn address(&self, activation: &Activation, storage: &Task) -> Option<u32> {
        let base = match self.segment {
            Segment::Working => activation.working,
            Segment::Local => activation.local,
            Segment::Linkage(index) => match *activation.linkage.get(index as usize)? {
                0 => return Some(0),
                base => base,
            },
            Segment::Constant => return None,
        };
        let record = storage.record(base);
        let end = u64::from(self.at) + u64::from(self.length);
        (record.base != 0 && end <= record.limit).then(|| base + self.at)
    }
}

impl Known {
    /// Whether the place still means the same program.
    #[inline]
    fn is_as_it_was(&self, storage: &Task, activation: &Activation) -> bool {
        let Some((item, name)) = &self.name else { return true };
        let mut now = [0; NAME_MAX];
        let Some(now) = now.get_mut(..name.len()) else { return false };
        item.address(activation, storage).is_some_and(|at| storage.read(at, now) && *now == **name)
    }

    /// Gives the parameters of a program the addresses of the arguments: behind those that it is given whether its caller names
    /// them or not, or in front.
    ///
    /// # Errors
    /// An argument is not there.
    #[inline]
    fn pass(
        &self,
        (program, site): (&Program, u32),
        storage: &mut Task,
        from: &mut Frame,
        (parameters, interface): (&[u32], Interface),
        linkage: &mut [u32],
    ) -> Result<(), Fault> {
        let mut place = interface.count;
        let mut pass = |index: usize, at: u32| {
            if index == 0 && place > 0 && at == interface.at[0] {
                place = 0;
                parameters.iter().for_each(|parameter| linkage[*parameter as usize] = 0);
            }
            if let Some(parameter) = parameters.get(place + index) {
                linkage[*parameter as usize] = at;
            }
        };
        match &self.arguments {
            Some(arguments) => {
                for (index, given) in arguments.iter().enumerate() {
                    pass(index, given.address(&from.activation, storage).ok_or(Fault::Protection)?);
                }
                Ok(())
            }
            None => {
                let mut index = 0;
                Machine::resumed(program, storage, from).references(site, |at| {
                    pass(index, at);
                    index += 1;
                })
            }
        }
    }
}

impl Calls {
    /// The number of a program, which it has from now on.
    pub fn number_of(&mut self, unit: &Arc<Unit>, program: usize) -> usize {
        let is_it = |ready: &Ready| Arc::ptr_eq(&ready.unit, unit) && ready.program == program;
        self.programs.iter().position(is_it).unwrap_or_else(|| {
            let unit = Arc::clone(unit);
            let interface = Interface::default();
            self.programs.push(Ready { unit, program, linkage: None, interface, frame: None });
            self.places.push(Vec::new());
            self.programs.len() - 1
        })
    }

    /// A program has been entered by the CALL at a place of another one, and may be entered there again. `name`: bytes of the item
    /// that holds its name, if one does. `activation`: where its segments lie, with its parameters. False if there is something to
    /// it that has to be done each time.
    pub fn learn(
        &mut self,
        (caller, site): (usize, u32),
        called: usize,
        name: Option<&[u8]>,
        activation: &Activation,
        interface: Interface,
    ) -> bool {
        let known = self.known((caller, site), called, name);
        let (Some(known), Some(places)) = (known, self.places.get_mut(caller)) else { return false };
        let Some(ready) = self.programs.get_mut(called) else { return false };
        let Some(code) = ready.unit.program(ready.program) else { return false };
        let program = code.program();
        if program.returning.is_some() || program.initial || !program.local.is_empty() {
            return false;
        }
        let mut linkage = activation.linkage.clone();
        for parameter in &program.parameters {
            linkage[*parameter as usize] = 0;
        }
        for (parameter, at) in program.parameters.iter().zip(interface.at).take(interface.count) {
            linkage[*parameter as usize] = at;
        }
        (ready.linkage, ready.interface) = (Some(linkage), interface);
        places.resize_with(places.len().max(site as usize + 1), || None);
        places[site as usize] = Some(known);
        true
    }

    fn known(&self, (caller, site): (usize, u32), called: usize, name: Option<&[u8]>) -> Option<Known> {
        let ready = self.programs.get(caller)?;
        let site = ready.unit.program(ready.program)?.program().sites.get(site as usize)?;
        let name = match &site.service {
            Service::Call(_) => None,
            // The name in the item is compared at each CALL.
            Service::CallNamed(place) => Some((Given::of(place)?, Box::from(name?))),
            _ => return None,
        };
        let mut arguments = Some(Vec::with_capacity(site.arguments.len()));
        for argument in &site.arguments {
            let Argument::Reference(place) = argument else { return None };
            match (Given::of(place), arguments.as_mut()) {
                (Some(given), Some(arguments)) => arguments.push(given),
                _ => arguments = None,
            }
        }
        let arguments = arguments.map(Vec::into_boxed_slice);
        site.returning.is_none().then_some(Known { program: called, name, arguments })
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.programs.clear();
        self.places.clear();
    }

    /// Another program has come: names may mean something else.
    pub fn forget_places(&mut self) {
        self.places.iter_mut().for_each(Vec::clear);
    }

    /// A program is entered by another way: it must not be entered beside it.
    pub fn take(&mut self, unit: &Arc<Unit>, program: usize) {
        let is_it = |ready: &&mut Ready| Arc::ptr_eq(&ready.unit, unit) && ready.program == program;
        if let Some(ready) = self.programs.iter_mut().find(is_it) {
            ready.frame = None;
        }
    }

    /// A program has come to its end.
    pub fn give(&mut self, number: usize, frame: Box<Frame>) {
        if let Some(ready) = self.programs.get_mut(number) {
            ready.frame = Some(frame);
        }
    }

    /// Whether programs were left before their end.
    #[inline]
    pub fn has_unfinished(&self) -> bool {
        !self.unfinished.is_empty()
    }

    /// The outermost of them.
    pub fn take_unfinished(&mut self) -> Option<Unfinished> {
        self.unfinished.pop()
    }

    /// A program by its number.
    pub fn program(&self, number: usize) -> Option<(&Arc<Unit>, usize)> {
        self.programs.get(number).map(|ready| (&ready.unit, ready.program))
    }

    /// Enters the program that a place CALLs: its number, and its frame at its beginning. None if that is not known, or has to go
    /// another way.
    #[inline]
    pub fn enter(
        &mut self,
        (caller, site): (usize, u32),
        program: &Program,
        storage: &mut Task,
        frame: &mut Frame,
    ) -> Option<(usize, Box<Frame>)> {
        let known = self.places.get(caller)?.get(site as usize)?.as_ref()?;
        if !known.is_as_it_was(storage, &frame.activation) {
            return None;
        }
        let ready = self.programs.get_mut(known.program)?;
        let linkage = ready.linkage.as_ref()?;
        // It runs already: a recursive CALL.
        let mut entered = ready.frame.take()?;
        entered.begin(linkage);
        let parameters = ready.unit.program(ready.program)?.program().parameters.as_slice();
        let linkage = &mut entered.activation.linkage;
        let passed = known.pass((program, site), storage, frame, (parameters, ready.interface), linkage);
        if passed.is_err() {
            ready.frame = Some(entered);
            return None;
        }
        Some((known.program, entered))
    }
}

/// Calls the program at a place, if it is known: it has come to its end, and its caller goes on. `None` if code is to be left: its
/// program has to be entered another way, or stands among those that are unfinished.
#[inline]
pub(crate) fn called<H: CodeHost>(runner: &mut Runner<'_, H>, site: u32) -> Option<()> {
    let Within { number, depth } = runner.within?;
    let depth = depth.checked_sub(1)?;
    let here = (&raw const depth).addr();
    if runner.stack.wrapping_sub(here) > STACK_MAX {
        return None;
    }
    let Parts { storage, calls, .. } = runner.host.parts()?;
    let calls = calls?;
    let (number, mut own) = calls.enter((number, site), runner.program, storage, runner.frame)?;
    let ready = calls.programs.get(number)?;
    let (unit, place) = (Arc::clone(&ready.unit), ready.program);
    let code = unit.program(place)?;
    let mut inner = Runner {
        program: code.program(),
        unit: Some((&unit, place)),
        cells: code.cells_for::<H>(),
        storage_min: code.storage_min(),
        frame: &mut own,
        host: &mut *runner.host,
        within: Some(Within { number, depth }),
        is_called: true,
        flag: runner.flag,
        stack: runner.stack,
        panic: None,
    };
    let status = code.enter(&mut inner, 0);
    runner.panic = inner.panic.take();
    let Parts { storage, calls, .. } = runner.host.parts()?;
    if status == Status::left(Leave::Return) {
        give_back_code(storage, (code.program(), &own), (runner.program, runner.frame));
        if let Some(calls) = calls {
            calls.give(number, own);
        }
        return Some(());
    }
    let reached = status.read().map_err(|(fault, line)| code.abend(fault, line));
    calls?.unfinished.push(Unfinished { number, unit, program: place, frame: own, reached });
    None
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
