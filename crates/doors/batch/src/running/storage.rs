//! The storage of a run: WORKING-STORAGE, which a program keeps from one CALL to the next, and what lasts for one CALL.

use std::collections::HashMap;
use std::sync::Arc;

use cobol_ir::Program;
use cobol_ir::program::{SWITCHES, SWITCHES_NAME, Template};
use cobol_run::{Activation, Areas, Frame, Lends, Passed, ProgramFault, RESERVED, Task, number_in};
use native::{STORAGE_MIN, Unit};

use super::Level;

/// Bytes that a run has at most.
pub(super) const STORAGE_MAX: usize = 1 << 30;

/// A program's WORKING-STORAGE.
struct Kept {
    unit: Arc<Unit>,
    place: usize,
    working: u32,
}

/// An area that the programs of a run share by its name.
struct External {
    at: u32,
    length: u32,
}

/// Lends a program of a unit what it has of others' storage.
struct Lender<'s> {
    storage: &'s mut Storage,
    unit: &'s Arc<Unit>,
}

impl Lends for Lender<'_> {
    fn external(&mut self, name: &str, length: u32) -> Result<u32, ProgramFault> {
        if let Some(known) = self.storage.external.get(name) {
            return if length <= known.length { Ok(known.at) } else { Err(ProgramFault::External) };
        }
        let at = self.storage.hold(&vec![0; length as usize])?;
        self.storage.external.insert(name.to_owned(), External { at, length });
        Ok(at)
    }

    fn working_of(&self, program: u32) -> Option<u32> {
        let is_it = |kept: &&Kept| Arc::ptr_eq(&kept.unit, self.unit) && kept.place == program as usize;
        self.storage.kept.iter().find(is_it).map(|kept| kept.working)
    }
}

/// Entry of a program: its frame, and the storage that it gives back when it is left.
pub(super) type Entered = (Frame, Vec<(u32, usize)>);

/// All of a run.
pub(super) struct Storage {
    pub task: Task,
    kept: Vec<Kept>,
    external: HashMap<String, External>,
    /// Storage that CALLs have given back, by its length.
    free: HashMap<usize, Vec<u32>>,
    /// Areas of ALLOCATE.
    pub(super) areas: Areas,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            task: Task::new(STORAGE_MIN.max(RESERVED)),
            kept: Vec::new(),
            external: HashMap::new(),
            free: HashMap::new(),
            areas: Areas::default(),
        }
    }
}

/// The first parameters of a program with EXEC CICS, which its callers outside of a region do not pass: there is no interface block and
/// no COMMAREA.
fn of_tasks(program: &Program, arguments: usize) -> usize {
    let is = |place: usize, name: &str| {
        let record = program.parameters.get(place).and_then(|index| program.linkage.get(*index as usize));
        record.is_some_and(|record| record.name == name)
    };
    match (is(0, "DFHEIBLK"), is(1, "DFHCOMMAREA")) {
        _ if arguments == program.parameters.len() => 0,
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    }
}

impl Storage {
    /// An area with these bytes.
    pub(super) fn hold(&mut self, bytes: &[u8]) -> Result<u32, ProgramFault> {
        let at = self.area(bytes.len())?;
        self.task.bytes_mut(at, bytes.len()).copy_from_slice(bytes);
        Ok(at)
    }

    /// An area with what a segment of a program has at the beginning.
    fn hold_template(&mut self, template: &Template) -> Result<u32, ProgramFault> {
        let at = self.area(template.len())?;
        template.write(self.task.bytes_mut(at, template.len()));
        Ok(at)
    }

    /// An area of a length, with whatever is there.
    fn area(&mut self, length: usize) -> Result<u32, ProgramFault> {
        if let Some(at) = self.free.get_mut(&length).and_then(Vec::pop) {
            return Ok(at);
        }
        if self.task.extent() + length > STORAGE_MAX {
            return Err(ProgramFault::Protection);
        }
        // Areas begin at multiples of eight; a reference of no bytes has an address, too.
        self.task.make_room(length + 16);
        self.task.allocate(length)
    }

    /// Gives an area back.
    pub(super) fn give(&mut self, at: u32, length: usize) {
        self.free.entry(length).or_default().push(at);
    }

    /// The UPSI switches, as the run begins with them.
    pub fn set_switches(&mut self, switches: [u8; SWITCHES]) {
        if switches == [0; SWITCHES] {
            return;
        }
        if let Ok(at) = self.hold(&switches) {
            self.external.insert(SWITCHES_NAME.to_owned(), External { at, length: SWITCHES as u32 });
        }
    }

    /// Storage for a program that is entered, at its beginning or at an ENTRY; and what it gives back when it is left.
    pub fn enter(
        &mut self,
        unit: &Arc<Unit>,
        (place, entry): (usize, Option<usize>),
        arguments: &[Passed],
    ) -> Result<Entered, ProgramFault> {
        let code = unit.program(place).ok_or(ProgramFault::Host)?;
        let program = code.program();
        if program.initial {
            // What it contains begins again with it; none of that is entered, for a program is entered once only.
            unit.with_contained(place).into_iter().skip(1).for_each(|within| self.forget(unit, within));
        }
        let known = self.kept.iter().find(|kept| Arc::ptr_eq(&kept.unit, unit) && kept.place == place);
        let working = match known.map(|kept| kept.working) {
            Some(working) => {
                if program.initial {
                    program.working.write(self.task.bytes_mut(working, program.working.len()));
                }
                working
            }
            None => {
                let working = self.hold_template(&program.working)?;
                self.kept.push(Kept { unit: Arc::clone(unit), place, working });
                working
            }
        };
        let local = self.hold_template(&program.local)?;
        let mut temporary = vec![(local, program.local.len())];
        let mut addresses = vec![0; of_tasks(program, arguments.len())];
        for argument in arguments {
            addresses.push(match argument {
                Passed::Area(at, _) => *at,
                Passed::Copy(bytes) => {
                    let at = self.hold(bytes)?;
                    temporary.push((at, bytes.len()));
                    at
                }
                _ => 0,
            });
        }
        let mut activation = Activation { working, local, linkage: vec![0; program.linkage.len()] };
        if entry.is_none() {
            activation.pass(&program.parameters, &addresses);
        }
        activation.borrow(program, &mut Lender { storage: self, unit })?;
        let mut frame = Frame::new(program, activation);
        if let Some(entry) = entry {
            frame.begin_at_entry(program, entry, &addresses);
        }
        Ok((frame, temporary))
    }

    /// Enters a program that is entered already at one of its entries, on the WORKING-STORAGE that it has.
    pub fn enter_again(
        &mut self,
        unit: &Arc<Unit>,
        place: usize,
        entry: usize,
    ) -> Result<Entered, ProgramFault> {
        let code = unit.program(place).ok_or(ProgramFault::Host)?;
        let program = code.program();
        let is_it = |kept: &&Kept| Arc::ptr_eq(&kept.unit, unit) && kept.place == place;
        let working = self.kept.iter().find(is_it).map(|kept| kept.working).ok_or(ProgramFault::Host)?;
        let local = self.hold_template(&program.local)?;
        let mut activation = Activation { working, local, linkage: vec![0; program.linkage.len()] };
        activation.borrow(program, &mut Lender { storage: self, unit })?;
        let mut frame = Frame::new(program, activation);
        frame.begin_at_entry(program, entry, &[]);
        Ok((frame, vec![(local, program.local.len())]))
    }

    /// A program that has been CALLed, and is not of the caller's source.
    pub fn program(&self, name: &str) -> Option<Arc<Unit>> {
        let is_it = |kept: &&Kept| {
            let code = kept.unit.program(0).filter(|_| kept.place == 0);
            code.is_some_and(|code| code.program().name.eq_ignore_ascii_case(name))
        };
        self.kept.iter().find(is_it).map(|kept| Arc::clone(&kept.unit))
    }

    /// The ENTRY of a name in a program that has been CALLed: the program, its place, and the entry's.
    pub fn entry(&self, name: &str) -> Option<(Arc<Unit>, usize, usize)> {
        self.kept.iter().find_map(|kept| {
            let entries = &kept.unit.program(kept.place)?.program().entries;
            let entry = entries.iter().position(|entry| entry.name == name)?;
            Some((Arc::clone(&kept.unit), kept.place, entry))
        })
    }

    /// CANCEL: a program has no WORKING-STORAGE until it is entered again.
    pub fn forget(&mut self, unit: &Arc<Unit>, place: usize) {
        let is_it = |kept: &Kept| Arc::ptr_eq(&kept.unit, unit) && kept.place == place;
        let Some(at) = self.kept.iter().position(is_it) else { return };
        let kept = self.kept.swap_remove(at);
        let length = unit.program(place).map_or(0, |code| code.program().working.len());
        self.give(kept.working, length);
    }

    /// Gives back what lasted for a CALL.
    pub fn leave(&mut self, temporary: Vec<(u32, usize)>) {
        for (at, length) in temporary {
            self.give(at, length);
        }
    }

    /// Place of a program's RETURN-CODE.
    fn return_code_at(level: &Level) -> Option<u32> {
        let (program, frame) = level.program()?;
        frame.activation.return_code(program)
    }

    /// RETURN-CODE of a program.
    pub fn return_code(&self, level: &Level) -> i32 {
        let Some(at) = Self::return_code_at(level) else { return 0 };
        let bytes = self.task.bytes(at, size_of::<i16>());
        <[u8; 2]>::try_from(bytes).map_or(0, |bytes| i16::from_be_bytes(bytes).into())
    }

    /// RETURN-CODE of a program that was CALLed is that of its caller.
    pub fn give_back_code(&mut self, called: &Level, caller: &Level) {
        if let (Some(called), Some(caller)) = (called.program(), caller.program()) {
            native::give_back_code(&mut self.task, called, caller);
        }
    }

    /// RETURN-CODE of a program, as a service that it has CALLed says.
    pub fn set_return_code(&mut self, level: &Level, code: i32) {
        if let Some(at) = Self::return_code_at(level) {
            self.task.bytes_mut(at, size_of::<i16>()).copy_from_slice(&(code as i16).to_be_bytes());
        }
    }

    /// A whole number that an argument is.
    pub fn number(&self, argument: Option<&Passed>) -> Option<i64> {
        match argument? {
            Passed::Field(at, length, numeric) => {
                number_in(self.task.bytes(*at, *length as usize), *numeric).ok()
            }
            Passed::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Stores a whole number where an argument says.
    pub fn set_number(&mut self, argument: Option<&Passed>, number: i64) {
        if let Some(Passed::Field(at, length, numeric)) = argument {
            let into = self.task.bytes_mut(*at, *length as usize);
            cobol_run::put_number(number, *numeric, into);
        }
    }
}
