//! Profiles: how the transactions that name one deal with their terminals.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::name::Name8;

/// A profile. Transactions share the one that they name: it may be defined after them, and otherwise later.
#[derive(Debug, Default)]
pub struct Profile {
    /// Its name.
    pub name: Name8,
    defined: AtomicBool,
    upper_case: AtomicBool,
    alternate_screen: AtomicBool,
}

impl Profile {
    /// One that nobody has defined: the published defaults hold.
    pub(crate) fn undefined(name: Name8) -> Self {
        Self { name, ..Self::default() }
    }

    /// UCTRAN: input is translated to upper case, whatever the terminal says.
    pub fn upper_case(&self) -> bool {
        self.upper_case.load(Ordering::Relaxed)
    }

    /// SCRNSIZE(ALTERNATE): tasks have the terminal's alternate screen size.
    pub fn alternate_screen(&self) -> bool {
        self.alternate_screen.load(Ordering::Relaxed)
    }

    /// Whether it is installed.
    pub(crate) fn is_defined(&self) -> bool {
        self.defined.load(Ordering::Relaxed)
    }

    /// A definition has come, or gone.
    pub fn define(&self, defined: bool, upper_case: bool, alternate_screen: bool) {
        self.defined.store(defined, Ordering::Relaxed);
        self.upper_case.store(upper_case, Ordering::Relaxed);
        self.alternate_screen.store(alternate_screen, Ordering::Relaxed);
    }
}
