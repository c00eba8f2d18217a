//! Profiles: how the transactions that name one deal with their terminals.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::name::Name8;

/// A profile. Transactions share the one that they name: it may be defined after them, and otherwise later.
#[derive(Debug, Default)]
pub struct Profile {
    /// Its name.
    pub name: Name8,
    defined: AtomicBool,
    upper_case: AtomicBool,
    alternate_screen: AtomicBool,
    read_limit_s: AtomicU32,
}

/// Options of a definition.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProfileOptions {
    /// UCTRAN.
    pub upper_case: bool,
    /// SCRNSIZE(ALTERNATE).
    pub alternate_screen: bool,
    /// RTIMOUT in seconds; 0 is without end.
    pub read_limit_s: u32,
}

impl Profile {
    /// One without a definition: the published defaults hold.
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

    /// RTIMOUT: how long a task waits for what a terminal, or a server, sends; none is without end.
    pub fn read_limit(&self) -> Option<Duration> {
        match self.read_limit_s.load(Ordering::Relaxed) {
            0 => None,
            seconds => Some(Duration::from_secs(seconds.into())),
        }
    }

    /// Returns true if it is installed.
    pub(crate) fn is_defined(&self) -> bool {
        self.defined.load(Ordering::Relaxed)
    }

    /// A definition has come.
    pub fn define(&self, options: ProfileOptions) {
        self.become_defined(true, options);
    }

    /// It has gone: the published defaults hold.
    pub fn undefine(&self) {
        self.become_defined(false, ProfileOptions::default());
    }

    fn become_defined(&self, defined: bool, options: ProfileOptions) {
        let ProfileOptions { upper_case, alternate_screen, read_limit_s } = options;
        self.defined.store(defined, Ordering::Relaxed);
        self.upper_case.store(upper_case, Ordering::Relaxed);
        self.alternate_screen.store(alternate_screen, Ordering::Relaxed);
        self.read_limit_s.store(read_limit_s, Ordering::Relaxed);
    }
}
