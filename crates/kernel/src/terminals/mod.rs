//! Terminals: what is connected, what its user is doing, and the way of data to and from it.
//!
//! A terminal's input starts a task when none is attached, and goes to the task's RECEIVE otherwise. Output goes
//! through a bounded queue to the front door that holds the connection; a task that writes faster than its terminal
//! reads waits.
//!
//! What never lives here: telnet. A front door brings a parsed input and takes a 3270 data stream.

pub mod aid;
mod commands;
pub mod input;
mod messages;
mod session;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

pub(crate) use commands::{HANDLERS, receive_input};
pub use messages::Message;
pub use session::{Output, Terminal, TerminalParts};

use crate::limits::TERMINALS_MAX;
use crate::name::{Name8, TerminalName};

/// The terminals of a region.
#[derive(Default)]
pub struct Terminals {
    table: RwLock<HashMap<TerminalName, Arc<Terminal>>>,
    last_number: Mutex<u32>,
}

/// Why a terminal is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallError {
    /// The network name that was asked for is in use.
    NameInUse,
    /// There are too many.
    Full,
}

impl Terminals {
    /// Installs a terminal under a name of its own. `wanted`: the network name that the client asks for.
    ///
    /// # Errors
    /// Why not.
    pub fn install(
        &self,
        wanted: Option<Name8>,
        parts: impl FnOnce(TerminalName, Name8) -> Arc<Terminal>,
    ) -> Result<Arc<Terminal>, InstallError> {
        let mut table = self.table.write();
        if table.len() >= TERMINALS_MAX {
            return Err(InstallError::Full);
        }
        if wanted.is_some_and(|wanted| table.values().any(|t| t.netname == wanted)) {
            return Err(InstallError::NameInUse);
        }
        let name = self.free_name(&table);
        let netname = wanted.unwrap_or_else(|| Name8::from(format!("TCP{name:0>5}").as_str()));
        let terminal = parts(name, netname);
        table.insert(name, Arc::clone(&terminal));
        Ok(terminal)
    }

    fn free_name(&self, table: &HashMap<TerminalName, Arc<Terminal>>) -> TerminalName {
        let mut last = self.last_number.lock();
        loop {
            *last = *last % 46_655 + 1;
            let name = TerminalName::from(format!("T{}", base36(*last)).as_str());
            if !table.contains_key(&name) {
                return name;
            }
        }
    }

    /// The terminal of a name.
    pub fn get(&self, name: TerminalName) -> Option<Arc<Terminal>> {
        self.table.read().get(&name).cloned()
    }

    /// Takes a terminal out when its connection is gone.
    pub fn remove(&self, name: TerminalName) {
        self.table.write().remove(&name);
    }

    /// All terminals, by name.
    pub fn list(&self) -> Vec<Arc<Terminal>> {
        let mut list: Vec<_> = self.table.read().values().cloned().collect();
        list.sort_by_key(|t| t.name);
        list
    }
}

/// Three digits of base 36: 46,655 terminals have names of four characters.
fn base36(number: u32) -> String {
    let digit = |d: u32| char::from_digit(d % 36, 36).map_or('0', |c| c.to_ascii_uppercase());
    [digit(number / 1296), digit(number / 36), digit(number)].iter().collect()
}
