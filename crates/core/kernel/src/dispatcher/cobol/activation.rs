//! A level's programs: which of them are entered, and where their storage lies in the task's window.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use cobol_ir::program::{BlockId, COMMAREA};
use cobol_run::{Activation, Frame, Lends, Passed, ProgramFault, SHARED};
use native::{Calls, Unit};
use smallvec::SmallVec;

use crate::limits::{CALL_DEPTH_MAX, SPARE_PROGRAMS_MAX};
pub(super) use crate::programs::{EnteredProgram as Active, Wanted};
use crate::storage::{self, Charge, Dsa, StorageAddress, Window};
use crate::task::Eib;

/// The interface block and the COMMAREA, by their names in the linkage section.
const INTERFACE: [&str; 2] = ["DFHEIBLK", COMMAREA];

/// Programs that a level has room for before it asks for more.
const ENTERED: usize = 2;

/// Addresses of arguments, with the interface block and the COMMAREA in front.
pub(super) type Addresses = SmallVec<[u32; 10]>;

/// A program to be entered.
pub(super) struct CallTarget {
    pub unit: Arc<Unit>,
    pub program: usize,
    /// An ENTRY, by its place in the program; none is its beginning.
    pub entry: Option<usize>,
}

/// A program's WORKING-STORAGE, which stays from one CALL to the next.
struct Kept {
    unit: Arc<Unit>,
    program: usize,
    working: u32,
    /// It, as the region counts it. `None` while no task has it.
    _storage: Option<Charge>,
}

/// An area that the programs of the level share by its name.
struct External {
    at: u32,
    length: u32,
    /// It, as the region counts it.
    _storage: Charge,
}

/// Lends a program of a unit what it has of others' storage.
struct Lender<'p> {
    programs: &'p mut Programs,
    window: &'p mut Window,
    unit: &'p Arc<Unit>,
}

impl Lends for Lender<'_> {
    fn external(&mut self, name: &str, length: u32) -> Result<u32, ProgramFault> {
        if let Some(known) = self.programs.external.get(name) {
            return if length <= known.length { Ok(known.at) } else { Err(ProgramFault::External) };
        }
        let at = self.programs.hold(self.window, &vec![0; length as usize])?;
        let storage = self.programs.dsa.charge(length as usize);
        self.programs.external.insert(name.to_owned(), External { at, length, _storage: storage });
        Ok(at)
    }

    fn working_of(&self, program: u32) -> Option<u32> {
        let is_it = |kept: &&Kept| Arc::ptr_eq(&kept.unit, self.unit) && kept.program == program as usize;
        self.programs.kept.iter().find(is_it).map(|kept| kept.working)
    }
}

/// A label that HANDLE has named: it is one of a program, which stands so deep among those that are entered.
struct Label {
    unit: Arc<Unit>,
    program: usize,
    depth: usize,
    label: u32,
}

/// All of a level.
pub(super) struct Programs {
    dsa: Arc<Dsa>,
    pub stack: Vec<Active>,
    kept: Vec<Kept>,
    external: HashMap<String, External>,
    owned: Vec<(u32, usize)>,
    labels: Vec<Label>,
    pub(super) again: Calls,
    /// Places of the interface block and the COMMAREA.
    pub interface: [u32; 2],
    /// The COMMAREA's place stands for an area.
    pub shows_commarea: bool,
    /// The area of a COMMAREA that no program has named, and the bytes of the part that it gets when one does.
    unseen: Option<(StorageAddress, usize)>,
}

impl CallTarget {
    /// The beginning of a program.
    pub fn beginning(unit: &Arc<Unit>, program: usize) -> Self {
        Self { unit: Arc::clone(unit), program, entry: None }
    }
}

impl Programs {
    /// None yet; what they have is counted in an area of the region.
    pub fn of(dsa: &Arc<Dsa>) -> Self {
        Self {
            dsa: Arc::clone(dsa),
            // Most levels enter one program or two, and keep the room for as long as they wait.
            stack: Vec::with_capacity(ENTERED),
            kept: Vec::with_capacity(ENTERED),
            external: HashMap::new(),
            owned: Vec::new(),
            labels: Vec::new(),
            again: Calls::default(),
            interface: [0; 2],
            shows_commarea: false,
            unseen: None,
        }
    }

    /// Storage of the level.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn hold(&mut self, window: &mut Window, bytes: &[u8]) -> Result<u32, ProgramFault> {
        let at = window.hold(bytes)?;
        self.owned.push((at, bytes.len()));
        Ok(at)
    }

    /// CANCEL: a program of this level, and what it contains, has no storage until it is entered again; one that was never CALLed
    /// stays as it is. False if one of them has not been left.
    pub fn cancel(&mut self, window: &mut Window, name: &str) -> bool {
        let Some(active) = self.stack.last() else { return true };
        let named = |kept: &&Kept| {
            let code = kept.unit.program(0).filter(|_| kept.program == 0);
            code.is_some_and(|code| code.program().name.eq_ignore_ascii_case(name))
        };
        let contained = active.unit.contained(active.program, name).or_else(|| active.unit.beside(name));
        let (unit, place) = match contained {
            Some(place) => (Arc::clone(&active.unit), place),
            None => match self.kept.iter().find(named) {
                Some(kept) => (Arc::clone(&kept.unit), 0),
                None => return true,
            },
        };
        let all = unit.with_contained(place);
        let of_it = |own: &Arc<Unit>, at: usize| Arc::ptr_eq(own, &unit) && all.contains(&at);
        if self.stack.iter().any(|active| of_it(&active.unit, active.program)) {
            return false;
        }
        self.forget(window, &unit, &all);
        true
    }

    /// Programs of a unit have no WORKING-STORAGE until they are entered again.
    fn forget(&mut self, window: &mut Window, unit: &Arc<Unit>, programs: &[usize]) {
        let of_them = |kept: &mut Kept| Arc::ptr_eq(&kept.unit, unit) && programs.contains(&kept.program);
        let gone: Vec<u32> = self.kept.extract_if(.., of_them).map(|kept| kept.working).collect();
        if gone.is_empty() {
            return;
        }
        self.again.forget();
        for active in &mut self.stack {
            (active.again, active.is_called_again) = (None, false);
        }
        for (at, length) in self.owned.extract_if(.., |(at, _)| gone.contains(at)) {
            window.give(at, length);
        }
    }

    /// Starts the programs that an INITIAL program contains again with it.
    fn begin_contained_again(&mut self, window: &mut Window, unit: &Arc<Unit>, place: usize) {
        let is_active = |at: usize| {
            self.stack.iter().any(|active| Arc::ptr_eq(&active.unit, unit) && active.program == at)
        };
        let within: Vec<usize> =
            unit.with_contained(place).into_iter().filter(|at| *at != place && !is_active(*at)).collect();
        self.forget(window, unit, &within);
    }

    /// Returns true if a program is entered that may be entered once only.
    pub fn is_active(&self, target: &CallTarget) -> bool {
        let is_it =
            |active: &Active| Arc::ptr_eq(&active.unit, &target.unit) && active.program == target.program;
        let code = target.unit.program(target.program);
        code.is_some_and(|code| !code.program().recursive) && self.stack.iter().any(is_it)
    }

    /// The ENTRY of a name in a program that this level knows already.
    pub fn entry(&self, name: &str) -> Option<CallTarget> {
        self.kept.iter().find_map(|kept| {
            let entries = &kept.unit.program(kept.program)?.program().entries;
            let entry = entries.iter().position(|entry| entry.name == name)?;
            Some(CallTarget { entry: Some(entry), ..CallTarget::beginning(&kept.unit, kept.program) })
        })
    }

    /// Returns true if a program of this name has been entered, and not CANCELed since.
    pub fn has_entered(&self, name: &str) -> bool {
        self.kept.iter().any(|kept| {
            let code = kept.unit.program(0).filter(|_| kept.program == 0);
            code.is_some_and(|code| code.program().name.eq_ignore_ascii_case(name))
        })
    }

    /// Returns true if another program may be entered.
    pub fn may_go_deeper(&self) -> bool {
        self.stack.len() < CALL_DEPTH_MAX
    }

    /// Enters a program with its arguments.
    ///
    /// # Errors
    /// There is no room for its storage.
    pub fn enter(
        &mut self,
        window: &mut Window,
        target: &CallTarget,
        arguments: &[Passed],
    ) -> Result<(), ProgramFault> {
        self.enter_program(window, target, arguments, false)
    }

    /// The same of a program that is entered already, at one of its entries: on the WORKING-STORAGE that it has.
    ///
    /// # Errors
    /// There is no room for its storage.
    pub fn enter_again(&mut self, window: &mut Window, target: &CallTarget) -> Result<(), ProgramFault> {
        self.enter_program(window, target, &[], true)
    }

    fn enter_program(
        &mut self,
        window: &mut Window,
        target: &CallTarget,
        arguments: &[Passed],
        again: bool,
    ) -> Result<(), ProgramFault> {
        let CallTarget { unit, program: place, entry } = target;
        let code = unit.program(*place).ok_or(ProgramFault::Host)?;
        let program = code.program();
        if program.initial && !again {
            self.begin_contained_again(window, unit, *place);
        }
        self.again.take(unit, *place);
        if self.unseen.is_some() && unit.names_commarea(*place) {
            self.sees_commarea(window)?;
        }
        let mut temporary = SmallVec::new();
        let known = self.kept.iter().find(|kept| Arc::ptr_eq(&kept.unit, unit) && kept.program == *place);
        let working = match known {
            Some(kept) if program.initial && !again => {
                let at = kept.working;
                program.working.write(window.storage.bytes_mut(at, program.working.len()));
                at
            }
            Some(kept) => kept.working,
            None => {
                window.serves(code);
                if !program.entries.is_empty() {
                    self.again.forget_places();
                }
                let at = window.hold_template(&program.working)?;
                self.owned.push((at, program.working.len()));
                let storage = Some(self.dsa.charge(program.working.len()));
                let unit = Arc::clone(unit);
                self.kept.push(Kept { unit, program: *place, working: at, _storage: storage });
                at
            }
        };
        let local = match program.local.is_empty() {
            // Nothing has no place of its own.
            true => working,
            false => {
                let local = window.hold_template(&program.local)?;
                temporary.push((local, program.local.len()));
                local
            }
        };
        let mut addresses = Addresses::new();
        for argument in arguments {
            addresses.push(match argument {
                Passed::Area(at, _) => *at,
                Passed::Copy(bytes) => {
                    let at = window.hold(bytes)?;
                    temporary.push((at, bytes.len()));
                    at
                }
                _ => 0,
            });
        }
        let parameters = match entry.and_then(|entry| program.entries.get(entry)) {
            Some(entry) => &entry.parameters,
            None => &program.parameters,
        };
        self.with_interface(program, parameters, &mut addresses);
        let mut activation = Activation { working, local, linkage: vec![0; program.linkage.len()] };
        let mut returning = None;
        if let Some(index) = program.returning
            && let Some(linkage) = program.linkage.get(index as usize)
        {
            let length = linkage.length as usize;
            let at = window.allocate(length)?;
            temporary.push((at, length));
            activation.linkage[index as usize] = at;
            returning = Some((at, length));
        }
        activation.pass(parameters, &addresses);
        activation.borrow(program, &mut Lender { programs: self, window, unit })?;
        if entry.is_some() || self.stack.is_empty() {
            self.show_interface(program, &mut activation);
        }
        let mut frame = Box::new(Frame::new(program, activation));
        if let Some(entry) = entry {
            frame.begin_at_entry(program, *entry, &addresses);
        }
        self.stack.push(Active {
            unit: Arc::clone(unit),
            program: *place,
            frame: Some(frame),
            at: BlockId(0),
            line: 0,
            stand: None,
            temporary,
            returning,
            wanted: None,
            again: None,
            is_called_again: false,
            shown: None,
            _storage: (!program.local.is_empty()).then(|| self.dsa.charge(program.local.len())),
        });
        Ok(())
    }

    /// A program with EXEC CICS may be called with its own parameters alone, or with the interface block and the COMMAREA in
    /// front.
    fn with_interface(&self, program: &cobol_ir::Program, parameters: &[u32], addresses: &mut Addresses) {
        let own = Self::interface_of(program, parameters);
        let given = addresses.first().is_some_and(|first| *first == self.interface[0]);
        if own > 0 && !given {
            addresses.insert_from_slice(0, &self.interface[..own]);
        }
    }

    /// Number of a program's first parameters that are the interface block and the COMMAREA.
    pub(super) fn interface_of(program: &cobol_ir::Program, parameters: &[u32]) -> usize {
        let named = |(parameter, name): (&u32, &str)| {
            program.linkage.get(*parameter as usize).is_some_and(|linkage| linkage.name == name)
        };
        parameters.iter().zip(INTERFACE).take_while(|pair| named(*pair)).count()
    }

    /// A program that is entered at an ENTRY has the interface block all the same, and so has the first one of a level, which may have no
    /// commands of its own.
    fn show_interface(&self, program: &cobol_ir::Program, activation: &mut Activation) {
        for (linkage, address) in program.linkage.iter().zip(&mut activation.linkage) {
            let at = INTERFACE.iter().position(|name| *name == linkage.name);
            if let Some(at) = at.filter(|_| *address == 0) {
                *address = self.interface[at];
            }
        }
    }

    /// Leaves the program that runs: it, and what it gives back.
    pub fn leave(&mut self, window: &mut Window) -> Option<(Active, Option<Vec<u8>>)> {
        let mut active = self.stack.pop()?;
        let returned = active.returning.and_then(|(at, length)| window.read(at, length)).map(Cow::into_owned);
        for (at, length) in active.temporary.drain(..) {
            window.give(at, length);
        }
        Some((active, returned))
    }

    /// The number by which the level knows a label of the program that runs.
    pub fn name_label(&mut self, label: u32) -> u32 {
        let Some(active) = self.stack.last() else { return 0 };
        let (unit, program, depth) = (Arc::clone(&active.unit), active.program, self.stack.len());
        let is_it = |own: &Label| {
            Arc::ptr_eq(&own.unit, &unit) && (own.program, own.depth, own.label) == (program, depth, label)
        };
        let known = self.labels.iter().position(is_it);
        known.unwrap_or_else(|| {
            self.labels.push(Label { unit, program, depth, label });
            self.labels.len() - 1
        }) as u32
    }

    /// Goes back to the program that has named a label: where that is.
    ///
    /// # Errors
    /// It has been left.
    pub fn back_to_label(&mut self, window: &mut Window, number: u32) -> Result<u32, ProgramFault> {
        let named = self.labels.get(number as usize).ok_or(ProgramFault::Protection)?;
        let (depth, label) = (named.depth, named.label);
        let active =
            depth.checked_sub(1).and_then(|at| self.stack.get(at)).ok_or(ProgramFault::Protection)?;
        if !Arc::ptr_eq(&active.unit, &named.unit) || active.program != named.program {
            return Err(ProgramFault::Protection);
        }
        self.leave_down_to(window, depth);
        Ok(label)
    }

    /// Leaves all of them but so many.
    pub fn leave_down_to(&mut self, window: &mut Window, depth: usize) {
        while self.stack.len() > depth {
            self.leave(window);
        }
    }

    /// Returns true if one program has been entered, and none by another way or from within it, and the level has so many parts of the
    /// window and nothing else.
    pub fn has_one(&self, parts: usize) -> bool {
        let is_plain = |active: &Active| active.temporary.is_empty() && active.frame.is_some();
        matches!(self.stack.as_slice(), [active] if is_plain(active))
            && self.kept.len() == 1
            && self.owned.len() == parts
            && self.external.is_empty()
            && self.labels.is_empty()
            && !self.shows_commarea
    }

    /// Returns true if a task that begins with the same copy of the first program may have what has been entered: each of them would be
    /// entered in the same way, at the same places, but for the bytes of its storage. One with an ENTRY would be known by that before it
    /// is CALLed.
    pub fn may_be_spared(&self) -> bool {
        let [first] = self.stack.as_slice() else { return false };
        let is_plain = first.code().is_some_and(|code| {
            let program = code.program();
            program.borrowed.is_empty() && program.returning.is_none() && program.local.is_empty()
        });
        let has_entries = |kept: &Kept| {
            kept.unit.program(kept.program).is_none_or(|code| !code.program().entries.is_empty())
        };
        is_plain
            && first.program == 0
            && first.frame.is_some()
            && first.temporary.is_empty()
            && self.kept.len() <= SPARE_PROGRAMS_MAX
            && self.owned.len() == 1 + usize::from(self.shows_commarea) + self.kept.len()
            && self.external.is_empty()
            && self.shows_commarea == (self.interface[1] != 0)
            && !self.again.has_unfinished()
            && !self.kept.iter().any(has_entries)
    }

    /// Clears the window, and its storage counts for no task. False if the window is not kept.
    pub fn is_spared(&mut self, window: &mut Window) -> bool {
        self.labels.clear();
        self.kept.iter_mut().for_each(|kept| kept._storage = None);
        window.begins_again(&self.owned)
    }

    /// The first program is at its beginning for another task, whose interface block this is, and what others have in
    /// WORKING-STORAGE is as if they had never been entered.
    ///
    /// # Errors
    /// Something is not there.
    pub fn begins_again(&mut self, window: &mut Window, eib: &Eib) -> Result<(), ProgramFault> {
        for kept in &mut self.kept {
            let working = &kept.unit.program(kept.program).ok_or(ProgramFault::Host)?.program().working;
            working.write_on_zeros(window.part(kept.working, working.len()).ok_or(ProgramFault::Host)?);
            kept._storage = Some(self.dsa.charge(working.len()));
        }
        let block = window.part(self.interface[0], Eib::LENGTH).and_then(|into| into.first_chunk_mut());
        eib.copy_to(block.ok_or(ProgramFault::Host)?);
        window.share(self.interface[0], Eib::LENGTH, eib.address());
        let active = self.stack.last_mut().ok_or(ProgramFault::Host)?;
        (active.at, active.line, active.stand, active.wanted) = (BlockId(0), 0, None, None);
        let (unit, place) = (Arc::clone(&active.unit), active.program);
        let mut frame = active.frame.take().ok_or(ProgramFault::Host)?;
        frame.begin_without_addresses();
        self.show_interface(unit.program(place).ok_or(ProgramFault::Host)?.program(), &mut frame.activation);
        self.stack.last_mut().ok_or(ProgramFault::Host)?.frame = Some(frame);
        Ok(())
    }

    /// The COMMAREA is so many bytes of an area, with room for so many. It is copied when a program names it.
    pub fn has_commarea(&mut self, window: &mut Window, area: StorageAddress, length: usize, room: usize) {
        window.share_later(area, length, room);
        self.unseen = Some((area, room));
    }

    /// The COMMAREA gets its part of the window.
    ///
    /// # Errors
    /// There is no room for it, or no such area.
    pub fn sees_commarea(&mut self, window: &mut Window) -> Result<(), ProgramFault> {
        let Some((area, room)) = self.unseen else { return Ok(()) };
        let at = window.shows_later(area)?.ok_or(ProgramFault::Host)?;
        self.owned.push((at, room));
        (self.interface[1], self.shows_commarea, self.unseen) = (at, true, None);
        Ok(())
    }

    /// The place of the COMMAREA that stands for an area. `None` if no program has seen it, or tasks share it.
    pub fn commarea_at(&self, window: &Window) -> Option<u32> {
        match self.unseen {
            Some((area, _)) => window.part_of(area),
            None => Some(self.interface[1]).filter(|at| self.shows_commarea && *at < SHARED),
        }
    }

    /// Returns true if no program that has been entered names its COMMAREA.
    pub fn names_no_commarea(&self) -> bool {
        !self.kept.iter().any(|kept| kept.unit.names_commarea(kept.program))
    }

    /// Bytes of the part of the window that the COMMAREA has. `None` if there is none.
    pub fn room_of_commarea(&self) -> Option<usize> {
        let part = self.owned.iter().find(|(at, _)| *at == self.interface[1]);
        part.filter(|_| self.shows_commarea).map(|(_, length)| *length)
    }

    /// The COMMAREA of another task, which lies in this area, takes the place of the one before: zeros.
    ///
    /// # Errors
    /// There is no room for it, or no such area.
    pub fn takes_commarea(
        &mut self,
        window: &mut Window,
        area: StorageAddress,
        length: usize,
    ) -> Result<(), ProgramFault> {
        let at = self.interface[1];
        let into = window.part(at, length).ok_or(ProgramFault::Host)?;
        storage::read_on_zeros(area, into).map_err(|_| ProgramFault::Protection)?;
        window.share(at, length, area);
        Ok(())
    }

    /// The interface block and the COMMAREA stand for no areas any more. The part of a COMMAREA that no program has named comes back if
    /// one has asked for its address: nothing else knows of it.
    #[must_use]
    pub fn unshare(&mut self, window: &mut Window) -> Option<(u32, usize)> {
        let unseen = self.unseen.take();
        let part = unseen.and_then(|(area, room)| Some((window.forget_unseen(area)?, room)));
        let [block, commarea] = self.interface;
        if self.shows_commarea {
            window.unshare(commarea);
        }
        window.unshare(block);
        part
    }

    /// The level is over: its storage is given back.
    pub fn end(&mut self, window: &mut Window) {
        self.leave_down_to(window, 0);
        self.again.forget();
        let unseen = self.unshare(window);
        for (at, length) in self.owned.drain(..).chain(unseen) {
            window.give(at, length);
        }
    }
}
