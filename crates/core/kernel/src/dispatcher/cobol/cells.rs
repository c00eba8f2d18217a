//! Requests of COBOL programs, at each of their places: found once, when a program first runs.

use std::sync::{Arc, OnceLock};

use cobol_ir::Program;
use cobol_ir::program::{End, Service};

use crate::exec::{Cell as Command, Places};
use crate::name::Name8;
use crate::region::Region;
use crate::services::{self, AnsweredBy, Services};

/// Those of a program.
pub(super) struct Cells {
    /// The first letters of the program's name.
    pub name: Name8,
    /// By the numbers of its calls of the host.
    all: Box<[Cell]>,
}

/// One of them.
pub(super) enum Cell {
    Command(Command),
    Called(Called),
    /// A LINK whose program may be run where the program stands.
    Link(Command),
    /// A command that always waits: it is answered outside of code.
    Waits(Places),
    /// It is answered outside of code.
    Elsewhere,
}

/// A CALL by a literal, which may be one of a service.
pub(super) struct Called {
    pub name: Box<str>,
    pub arguments: Places,
    /// The line of the source.
    pub line: u32,
    service: OnceLock<Option<Answerer>>,
}

/// A service that may be answered where its program stands.
pub(super) enum Answerer {
    LanguageEnvironment,
    Other(Arc<dyn services::Service>),
}

impl Cells {
    pub fn of(program: &Program) -> Self {
        let mut all: Vec<Cell> = program.sites.iter().map(|_| Cell::Elsewhere).collect();
        for block in &program.blocks {
            if let End::Host { site, .. } = block.end
                && let Some(cell) = all.get_mut(site as usize)
            {
                *cell = Cell::of(program, site, block.line);
            }
        }
        Self { name: Name8::from(program.name.as_str()), all: all.into() }
    }

    /// That of a call of the host.
    #[inline(always)]
    pub fn at(&self, site: u32) -> &Cell {
        self.all.get(site as usize).unwrap_or(&Cell::Elsewhere)
    }
}

impl Cell {
    fn of(program: &Program, site: u32, at: u32) -> Self {
        if let Some(command) = Command::of(program, site, at) {
            return Self::Command(command);
        }
        if let Some(command) = Command::of_link(program, site, at) {
            return Self::Link(command);
        }
        if let Some(places) = Command::places_of_waiting(program, site) {
            return Self::Waits(places);
        }
        match program.sites.get(site as usize) {
            Some(call) if call.returning.is_none() => match &call.service {
                Service::Call(name) => Self::Called(Called {
                    name: name.as_str().into(),
                    arguments: Places::of(program, call),
                    line: program.lines.get(at as usize).map_or(0, |line| line.line),
                    service: OnceLock::new(),
                }),
                _ => Self::Elsewhere,
            },
            _ => Self::Elsewhere,
        }
    }
}

impl Called {
    /// The service that answers it where its program stands. `None` if it is no service, or one that always waits. A program is one of one region,
    /// whose services stay the same.
    #[inline]
    pub fn service(&self, region: &Region) -> Option<&Answerer> {
        let found = || {
            let services = Services::of(region);
            match services.by_name(&self.name)? {
                AnsweredBy::LanguageEnvironment => Some(Answerer::LanguageEnvironment),
                AnsweredBy::Other(place) => services.other(place).cloned().map(Answerer::Other),
                AnsweredBy::Waiting(_) | AnsweredBy::Interval => None,
            }
        };
        self.service.get_or_init(found).as_ref()
    }
}
