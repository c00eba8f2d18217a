//! CALL within code: a program that was CALLed before is called where its caller's code stands, and comes back into it.
//!
//! States of a place that CALLs: *unknown* → *known*, when a runner has entered the program and says so ([`Calls::learn`]) →
//! *unknown* again ([`Calls::forget`]). From an unknown place, and wherever something is not as it was, code is left as at any other
//! call of the host. A program that rests leaves all that stand below it, too: what each of them came to is kept
//! ([`Calls::take_unfinished`]), and nothing stays on the machine's stack.
//!
//! The first time in a run of code the helper does it; what comes after that from the same place the code of the caller does by itself,
//! where the program's link allows it ([`links`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use cobol_ir::Program;
use cobol_ir::program::{Argument, Service};
use cobol_run::{Abend, Activation, Frame, Machine, ProgramFault, SHARED, Task};

use crate::Unit;
use crate::code::context::{BUSY, Link, NOWHERE, Reached, Within};
use crate::code::links::{self, Given, Linked, links_of};
use crate::code::{Below, Entered, Hosted, Origin};

/// Bytes of an item with a program's name, at most: what is longer goes the long way.
const NAME_MAX: usize = 32;

/// Knowledge that programs of a level have of one another.
#[derive(Default)]
pub struct Calls {
    pub(crate) programs: Vec<Ready>,
    /// The places of each of them, by their number among its calls of the host.
    places: Vec<Vec<Option<Known>>>,
    /// Programs that were left before their end, the innermost first.
    pub(crate) unfinished: Vec<Unfinished>,
}

/// A program that calls others, or may be called.
pub(crate) struct Ready {
    pub(crate) unit: Arc<Unit>,
    pub(crate) program: usize,
    /// The addresses of its records of the linkage section before it has arguments. `None` if it is not to be called.
    linkage: Option<Vec<u32>>,
    interface: Interface,
    /// Its frame. `None` while it runs outside of code, or before it has run.
    pub(crate) frame: Option<Box<Frame>>,
    /// The context of its code, once it was entered within code.
    pub(crate) entered: Option<Entered>,
    /// The links of its CALLs, once one of them is known.
    links: Box<[Link]>,
}

/// The parameters in front that a program is given whether its caller names them or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interface {
    /// The number of them.
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
    /// The place that it has come to: of all but the innermost, a CALL.
    pub reached: Result<Reached, Abend>,
}

impl Known {
    /// Returns true if the place still means the same program.
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
    ) -> Result<(), ProgramFault> {
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
                    pass(index, given.address(&from.activation, storage).ok_or(ProgramFault::Protection)?);
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
            let (frame, entered, links) = (None, None, Box::default());
            self.programs.push(Ready { unit, program, linkage: None, interface, frame, entered, links });
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
        self.unlink();
    }

    /// Code enters no program through its link until a helper has entered it.
    #[inline]
    pub(crate) fn unlink(&self) {
        for entered in self.programs.iter().filter_map(|ready| ready.entered.as_ref()) {
            if entered.called_from() != BUSY {
                entered.set_called_from(NOWHERE);
            }
        }
    }

    /// A run of code begins: nothing runs that was entered in another one. The links of the program that runs.
    #[inline]
    pub(crate) fn begins(&self, number: usize) -> *const Link {
        for entered in self.programs.iter().filter_map(|ready| ready.entered.as_ref()) {
            entered.set_called_from(NOWHERE);
        }
        self.links(number)
    }

    fn links(&self, number: usize) -> *const Link {
        match self.programs.get(number) {
            Some(ready) if !ready.links.is_empty() => ready.links.as_ptr(),
            _ => links::unknown(),
        }
    }

    /// A program is entered by another way: it must not be entered beside it.
    pub fn take(&mut self, unit: &Arc<Unit>, program: usize) {
        let is_it = |ready: &&mut Ready| Arc::ptr_eq(&ready.unit, unit) && ready.program == program;
        if let Some(ready) = self.programs.iter_mut().find(is_it) {
            ready.set_frame(None);
        }
    }

    /// A program has come to its end.
    pub fn give(&mut self, number: usize, frame: Box<Frame>) {
        if let Some(ready) = self.programs.get_mut(number) {
            ready.set_frame(Some(frame));
        }
    }

    /// Returns true if programs were left before their end.
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

    /// Takes the program that a place CALLs: its number, and its frame at its beginning. `None` if that is not known, or has to go
    /// another way.
    #[inline]
    pub fn enter(
        &mut self,
        at: (usize, u32),
        program: &Program,
        storage: &mut Task,
        frame: &mut Frame,
    ) -> Option<(usize, Box<Frame>)> {
        let number = self.begin(at, program, storage, frame)?;
        Some((number, self.programs.get_mut(number)?.take_frame()?))
    }

    /// The program that a place CALLs is at its beginning, with its arguments: its number. `None` as of [`Self::enter`].
    #[inline]
    pub(crate) fn begin(
        &mut self,
        (caller, site): (usize, u32),
        program: &Program,
        storage: &mut Task,
        frame: &mut Frame,
    ) -> Option<usize> {
        let known = self.places.get(caller)?.get(site as usize)?.as_ref()?;
        if !known.is_as_it_was(storage, &frame.activation) {
            return None;
        }
        let ready = self.programs.get_mut(known.program)?;
        let linkage = ready.linkage.as_ref()?;
        // It runs already: a recursive CALL.
        if ready.entered.as_ref().is_some_and(|entered| entered.called_from() == BUSY) {
            return None;
        }
        let entered = ready.frame.as_mut()?;
        entered.begin(linkage);
        let parameters = ready.unit.program(ready.program)?.program().parameters.as_slice();
        let linkage = &mut entered.activation.linkage;
        known.pass((program, site), storage, frame, (parameters, ready.interface), linkage).ok()?;
        Some(known.program)
    }

    /// Code enters a program that has come to its end through the link of the place from which it was entered, if nothing about it has
    /// to be done each time: the links of the caller.
    pub(crate) fn link(
        &mut self,
        (caller, site): (usize, u32),
        program: &Program,
        frame: &Frame,
        (storage, called): (&Task, usize),
        depth: usize,
    ) -> Option<*const Link> {
        let linked = Linked::of(program, site)?;
        // Each of them stands on the machine's stack once, at most.
        let is_flat = self.programs.len() <= depth;
        let ready = self.programs.get(called).filter(|_| is_flat)?;
        let code = ready.unit.program(ready.program)?;
        let own = &ready.frame.as_ref()?.activation.linkage;
        if !code.begins_by_itself() || own.iter().any(|at| *at >= SHARED) {
            return None;
        }
        let mut link = Link::unknown();
        if let Some(place) = linked.name {
            let given = Given::of(place)?;
            let mut name = [0; NAME_MAX];
            let name = name.get_mut(..given.length as usize)?;
            let is_there = storage.read(given.address(&frame.activation, storage)?, name);
            link.name = is_there.then(|| Linked::words_of(name))?;
        }
        for (record, index) in link.records.iter_mut().zip(&linked.records) {
            *record = *frame.activation.linkage.get(*index as usize)?;
        }
        let entered = ready.entered.as_ref()?;
        entered.is_touched_no_more();
        link.context = AtomicPtr::new(entered.context().cast_mut());
        let links = &mut self.programs.get_mut(caller)?.links;
        if links.is_empty() {
            *links = (0..links_of(program)).map(|_| Link::unknown()).collect();
        }
        *links.get_mut(linked.number)? = link;
        let at = (&raw const links[linked.number]).addr();
        let links = links.as_ptr();
        self.programs.get(called)?.entered.as_ref()?.set_called_from(at as u64);
        Some(links)
    }
}

impl Calls {
    /// The program that code enters from the CALL at a place.
    pub(crate) fn entered_from(&self, (caller, site): (usize, u32), program: &Program) -> Option<usize> {
        let number = Linked::of(program, site)?.number;
        let context = self.programs.get(caller)?.links.get(number)?.context.load(Ordering::Relaxed);
        let is_it =
            |ready: &Ready| ready.entered.as_ref().is_some_and(|own| std::ptr::eq(own.context(), context));
        self.programs.iter().position(is_it)
    }
}

impl Ready {
    fn set_frame(&mut self, frame: Option<Box<Frame>>) {
        self.frame = frame;
        if let Some(entered) = &self.entered {
            entered.set_called_from(NOWHERE);
        }
    }

    /// Its frame, which goes elsewhere.
    pub(crate) fn take_frame(&mut self) -> Option<Box<Frame>> {
        if let Some(entered) = &self.entered {
            entered.set_called_from(NOWHERE);
        }
        self.frame.take()
    }

    /// Its context, to be entered at its beginning.
    pub(crate) fn ready_to_enter<H: Hosted>(
        &mut self,
        origin: Origin<H>,
        within: Within,
    ) -> Option<Below<H>> {
        let code = self.unit.program(self.program)?;
        let unit = Some((&*self.unit, self.program));
        let links = if self.links.is_empty() { links::unknown() } else { self.links.as_ptr() };
        let frame = self.frame.as_mut()?;
        let start = code.starts((unit, frame), origin, (Some(within), true), (links, code.begins_again()));
        let below = Entered::begins(&mut self.entered, start);
        self.entered.as_ref()?.set_called_from(BUSY);
        Some(below)
    }
}
