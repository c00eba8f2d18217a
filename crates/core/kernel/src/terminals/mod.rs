//! Terminals: what is connected, what its user is doing, and the way of data to and from it.
//!
//! Output is held until the task ends, waits for input, delays or asks for it (WAIT); then it goes through a bounded queue to
//! the front door that holds the connection, and a task that writes faster than its terminal reads waits.
//!
//! Out of scope: which task an input starts (`terminal_control`), and telnet. A front door brings a parsed input and takes a 3270 data stream.

pub mod aid;
mod copies;
pub mod data;
pub mod defined;
mod fields;
mod messages;
mod next;
pub mod printer;
mod screen;
mod session;
mod streams;
mod users;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::HashMap;
use parking_lot::{Mutex, RwLock};

pub use defined::UpperCase;
pub use messages::Message;
pub use next::NextTask;
pub use printer::{Page, Printed, Printer};
pub use screen::{tell, try_tell};
pub use session::{Aside, AtOwner, Line, Owner, Terminal, TerminalParts};
pub(crate) use session::{Occupant, Started, Turn};
pub use streams::{empty_screen, keyboard_restore};
pub use users::rebuild_security;

use defined::{Definitions, Device, Typeterm};

use crate::limits::TERMINALS_MAX;
use crate::name::{Name8, TerminalName};
use crate::region::Region;

/// The terminals of a region.
#[derive(Default)]
pub struct Terminals {
    /// Those that are defined, whether they are there or not.
    pub defined: Definitions,
    table: RwLock<HashMap<TerminalName, Place>>,
    last_number: Mutex<u32>,
    autoinstalls: Autoinstalls,
}

/// Counts of terminals that come without a definition, since the start of the region.
#[derive(Debug, Default)]
pub struct Autoinstalls {
    /// Those that have asked for a place.
    pub attempts: AtomicU64,
    /// Those of them that got none.
    pub rejected: AtomicU64,
    /// Those that have gone.
    pub gone: AtomicU64,
    /// Terminals of other regions that have come with a task.
    pub shipped: AtomicU64,
}

/// A terminal's place: its name is taken before it is there.
struct Place {
    netname: Name8,
    terminal: Option<Arc<Terminal>>,
}

impl Place {
    /// Returns true if it has that network name, and is of this region: regions do not know each other's network names.
    fn is_called(&self, netname: Name8) -> bool {
        self.netname == netname && self.terminal.as_ref().is_none_or(|terminal| terminal.owner().is_none())
    }
}

/// Reasons why a terminal is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallError {
    /// The network name that was asked for is in use.
    NameInUse,
    /// There are too many.
    Full,
    /// The name is defined for the other kind of device: a display or a printer.
    OtherKind,
    /// The display has no printer of its own.
    NoPrinter,
}

/// A client's wishes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// The network name that it wants.
    pub netname: Option<Name8>,
    /// The network name of the display whose printer it wants to be.
    pub printer_of: Option<Name8>,
    /// True if it is a printer.
    pub is_printer: bool,
}

/// The names that a client gets.
#[derive(Clone, Debug)]
pub struct Given {
    /// The terminal's name.
    pub name: TerminalName,
    /// Its network name.
    pub netname: Name8,
    /// Its TYPETERM, if it is defined.
    pub typeterm: Option<Arc<Typeterm>>,
}

impl Terminals {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Reserves a name, and the network name that the client asks for, until [`Self::connect`] or [`Self::remove`]. A terminal
    /// that is defined has the name of its definition.
    ///
    /// # Errors
    /// The reason.
    pub fn reserve(&self, asked: Asked) -> Result<Given, InstallError> {
        let is_defined = asked.netname.is_some_and(|netname| self.defined.of_netname(netname).is_some());
        let comes_undefined = !is_defined && asked.printer_of.is_none();
        let given = self.place(asked);
        if comes_undefined {
            self.autoinstalls.attempts.fetch_add(1, Ordering::Relaxed);
            self.autoinstalls.rejected.fetch_add(given.is_err().into(), Ordering::Relaxed);
        }
        given
    }

    /// Counts of terminals without a definition.
    pub fn autoinstalls(&self) -> &Autoinstalls {
        &self.autoinstalls
    }

    fn place(&self, asked: Asked) -> Result<Given, InstallError> {
        let wanted = match asked.printer_of {
            Some(display) => Some(self.printer_of(display).ok_or(InstallError::NoPrinter)?),
            None => asked.netname,
        };
        let definition = wanted.and_then(|netname| self.defined.of_netname(netname));
        let typeterm = definition.as_ref().and_then(|it| self.defined.typeterm(it.typeterm));
        let is_printer = |typeterm: &Arc<Typeterm>| typeterm.device != Device::Display;
        if typeterm.as_ref().is_some_and(|typeterm| is_printer(typeterm) != asked.is_printer) {
            return Err(InstallError::OtherKind);
        }
        let mut table = self.table.write();
        if table.len() >= TERMINALS_MAX {
            return Err(InstallError::Full);
        }
        if wanted.is_some_and(|wanted| table.values().any(|place| place.is_called(wanted))) {
            return Err(InstallError::NameInUse);
        }
        let is_free = |name: &TerminalName| !table.contains_key(name);
        let name = match &definition {
            Some(definition) => Some(definition.name),
            // Programs send to a printer by its name, so it must be one that can be known before.
            None if asked.is_printer => wanted
                .map(|netname| TerminalName::new(end_of(netname)))
                .filter(|name| is_free(name) && self.defined.get(*name).is_none()),
            None => None,
        };
        if name.is_some_and(|name| !is_free(&name)) {
            return Err(InstallError::NameInUse);
        }
        let name = name.unwrap_or_else(|| self.free_name(&table));
        let netname = wanted.unwrap_or_else(|| Name8::from(format!("SYNC{name}").as_str()));
        table.insert(name, Place { netname, terminal: None });
        Ok(Given { name, netname, typeterm })
    }

    /// The network name of the printer that belongs to a display.
    fn printer_of(&self, display: Name8) -> Option<Name8> {
        let printer = self.defined.of_netname(display)?.printers.first;
        Some(self.defined.get(printer)?.netname)
    }

    /// Returns true if a terminal of the name is there, or is defined and may come.
    pub fn is_known(&self, name: TerminalName) -> bool {
        self.get(name).is_some() || self.defined.get(name).is_some()
    }

    /// Installs a terminal under its reserved name.
    pub fn connect(&self, terminal: &Arc<Terminal>) {
        let place = Place { netname: terminal.netname, terminal: Some(Arc::clone(terminal)) };
        self.table.write().insert(terminal.name, place);
    }

    /// Installs a terminal of another region: under the name that it has there, or another one if that is in use here.
    ///
    /// # Errors
    /// There are too many.
    pub fn ship(
        &self,
        name: TerminalName,
        make: impl FnOnce(TerminalName) -> Arc<Terminal>,
    ) -> Result<Arc<Terminal>, InstallError> {
        let mut table = self.table.write();
        if table.len() >= TERMINALS_MAX {
            return Err(InstallError::Full);
        }
        let is_free = !table.contains_key(&name) && self.defined.get(name).is_none();
        let terminal = make(if is_free { name } else { self.free_name(&table) });
        let place = Place { netname: terminal.netname, terminal: Some(Arc::clone(&terminal)) };
        table.insert(terminal.name, place);
        self.autoinstalls.shipped.fetch_add(1, Ordering::Relaxed);
        Ok(terminal)
    }

    fn free_name(&self, table: &HashMap<TerminalName, Place>) -> TerminalName {
        let mut last = self.last_number.lock();
        loop {
            *last = *last % NAMES_MAX + 1;
            let name = TerminalName::from(format!("T{}", base36(*last)).as_str());
            if !table.contains_key(&name) && self.defined.get(name).is_none() {
                return name;
            }
        }
    }

    /// The terminal of a name.
    pub fn get(&self, name: TerminalName) -> Option<Arc<Terminal>> {
        self.table.read().get(&name).and_then(|place| place.terminal.clone())
    }

    /// Takes a terminal out when its connection is gone.
    pub fn remove(&self, name: TerminalName) {
        let Some(place) = self.table.write().remove(&name) else { return };
        let is_of_here = place.terminal.is_none_or(|terminal| terminal.owner().is_none());
        if is_of_here && self.defined.get(name).is_none() {
            self.autoinstalls.gone.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// All terminals, by name.
    pub fn list(&self) -> Vec<Arc<Terminal>> {
        let table = self.table.read();
        let mut list: Vec<_> = table.values().filter_map(|place| place.terminal.clone()).collect();
        list.sort_by_key(|t| t.name);
        list
    }
}

/// The last four letters of a network name.
fn end_of(netname: Name8) -> Vec<u8> {
    let letters = netname.trimmed();
    letters[letters.len().saturating_sub(4)..].to_vec()
}

/// Names of a letter and three digits of base 36.
const NAMES_MAX: u32 = 46_655;

/// Three digits of base 36.
fn base36(number: u32) -> String {
    let digit = |d: u32| char::from_digit(d % 36, 36).map_or('0', |c| c.to_ascii_uppercase());
    [digit(number / 1296), digit(number / 36), digit(number)].iter().collect()
}
