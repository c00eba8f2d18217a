//! The printers to which copies of a display's screen go: PRINTER and ALTPRINTER.

use std::sync::Arc;

use super::defined::{Device, Printers};
use super::{Terminal, Terminals};
use crate::name::TerminalName;

impl Terminals {
    /// The printers of a display, whether it is there or not.
    pub fn printers_of(&self, display: TerminalName) -> Printers {
        let defined = self.defined.get(display).map(|defined| defined.printers);
        defined.or_else(|| Some(self.get(display)?.own_printers())).unwrap_or_default()
    }

    /// Changes them: of its definition, or of the display itself if it has none.
    pub fn set_printers(&self, display: TerminalName, printers: Printers) {
        if !self.defined.set_printers(display, printers)
            && let Some(terminal) = self.get(display)
        {
            terminal.set_own_printers(printers);
        }
    }

    /// The printer that gets a copy of a display's screen now: the first one, or the second one where only that is free. If neither is,
    /// the copy waits for the first. As published, the second one does not count without the first.
    pub fn printer_for(&self, display: TerminalName) -> Option<TerminalName> {
        let Printers { first, second } = self.printers_of(display);
        if first.is_blank() {
            return None;
        }
        let free = [first, second].into_iter().find(|name| self.is_free_printer(*name));
        free.or_else(|| self.is_a_printer(first).then_some(first))
    }

    /// Returns true if a printer is there, and no task is at it.
    fn is_free_printer(&self, name: TerminalName) -> bool {
        let is_free = |it: Arc<Terminal>| it.is_printer() && !it.is_gone() && it.occupant().is_none();
        self.get(name).is_some_and(is_free)
    }

    /// Returns true if a terminal of the name is known, and is a printer.
    pub fn is_a_printer(&self, name: TerminalName) -> bool {
        if let Some(terminal) = self.get(name) {
            return terminal.is_printer();
        }
        let typeterm = self.defined.get(name).and_then(|defined| self.defined.typeterm(defined.typeterm));
        typeterm.is_some_and(|typeterm| typeterm.device != Device::Display)
    }
}
