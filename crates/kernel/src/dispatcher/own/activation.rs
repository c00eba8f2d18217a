//! A level's natively compiled programs: which of them are entered, and where their storage lies in the task's window.

use std::sync::Arc;

use cobol_ir::program::BlockId;
use cobol_ir::run::{Activation, Fault, Machine, Passed};
use native::Unit;

use crate::limits::CALL_DEPTH_MAX;
pub(super) use crate::programs::OwnEntered as Active;
use crate::storage::Window;

/// The interface block and the COMMAREA, by their names in the linkage section.
const INTERFACE: [&str; 2] = ["DFHEIBLK", "DFHCOMMAREA"];

/// A program's WORKING-STORAGE, which stays from one CALL to the next.
struct Kept {
    unit: Arc<Unit>,
    program: usize,
    working: u32,
}

/// All of a level.
#[derive(Default)]
pub(super) struct Programs {
    pub stack: Vec<Active>,
    kept: Vec<Kept>,
    owned: Vec<(u32, usize)>,
    /// Where the interface block and the COMMAREA lie.
    pub interface: [u32; 2],
}

impl Programs {
    /// Storage of the level.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn hold(&mut self, window: &mut Window, bytes: &[u8]) -> Result<u32, Fault> {
        let at = window.hold(bytes)?;
        self.owned.push((at, bytes.len()));
        Ok(at)
    }

    /// Whether a program is entered.
    pub fn is_active(&self, unit: &Arc<Unit>, program: usize) -> bool {
        self.stack.iter().any(|active| Arc::ptr_eq(&active.unit, unit) && active.program == program)
    }

    /// Whether another program may be entered.
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
        unit: &Arc<Unit>,
        place: usize,
        arguments: &[Passed],
    ) -> Result<(), Fault> {
        let code = unit.program(place).ok_or(Fault::Host)?;
        let program = code.program();
        let mut temporary = Vec::new();
        let known = self.kept.iter().find(|kept| Arc::ptr_eq(&kept.unit, unit) && kept.program == place);
        let working = match known {
            Some(kept) if program.initial => {
                let at = kept.working;
                window.storage.bytes_mut(at, program.working.len()).copy_from_slice(&program.working);
                at
            }
            Some(kept) => kept.working,
            None => {
                let at = self.hold(window, &program.working)?;
                self.kept.push(Kept { unit: Arc::clone(unit), program: place, working: at });
                at
            }
        };
        let local = window.hold(&program.local)?;
        temporary.push((local, program.local.len()));
        let mut addresses = Vec::with_capacity(arguments.len() + self.interface.len());
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
        self.with_interface(program, &mut addresses);
        let mut activation = Activation { working, local, linkage: vec![0; program.linkage.len()] };
        activation.pass(&program.parameters, &addresses);
        let frame = Machine::new(program, &mut window.storage, activation).into_frame();
        let (unit, at) = (Arc::clone(unit), BlockId(0));
        self.stack.push(Active {
            unit,
            program: place,
            frame: Some(frame),
            at,
            line: 0,
            stand: None,
            temporary,
        });
        Ok(())
    }

    /// A program with EXEC CICS may be called with its own parameters alone, or with the interface block and the COMMAREA in
    /// front.
    fn with_interface(&self, program: &cobol_ir::Program, addresses: &mut Vec<u32>) {
        let named = |(parameter, name): (&u32, &str)| {
            program.linkage.get(*parameter as usize).is_some_and(|linkage| linkage.name == name)
        };
        let own = program.parameters.iter().zip(INTERFACE).take_while(|pair| named(*pair)).count();
        let given = addresses.first().is_some_and(|first| *first == self.interface[0]);
        if own > 0 && !given {
            addresses.splice(0..0, self.interface[..own].iter().copied());
        }
    }

    /// Leaves the program that runs.
    pub fn leave(&mut self, window: &mut Window) -> Option<Active> {
        let mut active = self.stack.pop()?;
        for (at, length) in active.temporary.drain(..) {
            window.give(at, length);
        }
        Some(active)
    }

    /// Leaves all of them but so many.
    pub fn leave_down_to(&mut self, window: &mut Window, depth: usize) {
        while self.stack.len() > depth {
            self.leave(window);
        }
    }

    /// The level is over: its storage is given back.
    pub fn end(mut self, window: &mut Window) {
        self.leave_down_to(window, 0);
        for at in self.interface {
            window.unshare(at);
        }
        for (at, length) in self.owned.drain(..) {
            window.give(at, length);
        }
    }
}
