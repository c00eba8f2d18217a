//! A command at its place in a COBOL program: what is the same each time that it is asked for.
//!
//! It is found once, when the program first runs, and all tasks use it. What an argument holds is read where a handler asks for it.

use std::ops::Deref;

use cobol_ir::Program;
use cobol_ir::program::{Argument, Service, Site};
use spec::call::Descriptor;
use spec::{CommandId, OptionId, cmd, opt};

use super::handlers::{self, Handler, Known};
use super::meant::Meant;
use super::placed::{Placed, Places};

/// A command that may be answered where its program stands.
pub(crate) struct Cell {
    placed: Placed,
    pub(super) known: Known,
    /// Of a LINK: what it has meant.
    pub(super) meant: Meant,
}

/// Options of a LINK whose program may be run where the one stands that asks for it.
const OF_LINK: [OptionId; 5] = [opt::PROGRAM, opt::COMMAREA, opt::LENGTH, opt::RESP, opt::RESP2];

impl Cell {
    /// That of a call of the host at the end of a block, whose line has this place. `None` if it is no command that may be answered
    /// where its program stands.
    pub fn of(program: &Program, site: u32, at: u32) -> Option<Self> {
        let site = program.sites.get(site as usize)?;
        let Service::Exec(bytes) = &site.service else { return None };
        let descriptor = Descriptor::new(bytes)?;
        let known = *handlers::of(descriptor.command());
        is_for_now(&known, descriptor.command()).then(|| Self::known(program, site, at, &descriptor))
    }

    /// The places of the arguments of a command that is answered outside of code. `None` if the call of the host is something else, or
    /// names a label, which the level knows by a number of its own.
    pub fn places_of_waiting(program: &Program, site: u32) -> Option<Places> {
        let site = program.sites.get(site as usize)?;
        let Service::Exec(bytes) = &site.service else { return None };
        Descriptor::new(bytes)?;
        let has_labels = site.arguments.iter().any(|argument| matches!(argument, Argument::Label(_)));
        (!has_labels).then(|| Places::of(program, site))
    }

    /// That of a LINK whose program may be run where the one stands that asks for it: what it passes is a COMMAREA at most, and lies
    /// where it is known before. `None` if the call of the host is something else.
    pub fn of_link(program: &Program, site: u32, at: u32) -> Option<Self> {
        let site = program.sites.get(site as usize)?;
        let Service::Exec(bytes) = &site.service else { return None };
        let descriptor = Descriptor::new(bytes).filter(|own| own.command() == cmd::LINK)?;
        let is_simple = descriptor.arguments().all(|option| OF_LINK.contains(&option))
            && descriptor.keywords().all(|option| option == opt::NOHANDLE);
        let cell = is_simple.then(|| Self::known(program, site, at, &descriptor))?;
        cell.arguments.worked_out.is_empty().then_some(cell)
    }

    fn known(program: &Program, site: &Site, at: u32, descriptor: &Descriptor<'_>) -> Self {
        let known = *handlers::of(descriptor.command());
        Self { placed: Placed::of(program, site, at, descriptor), known, meant: Meant::default() }
    }
}

impl Deref for Cell {
    type Target = Placed;

    #[inline(always)]
    fn deref(&self) -> &Placed {
        &self.placed
    }
}

/// Returns true if such a command might be answered without waiting: its handler says so.
fn is_for_now(known: &Known, command: CommandId) -> bool {
    match known.handler {
        None | Some(Handler::Waits(_)) => false,
        Some(Handler::Control(_)) => command == cmd::RETURN,
        Some(_) => true,
    }
}
