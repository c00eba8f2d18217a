//! Terminals of other regions: made when a task is first routed from them, and taken away when none was for a while.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::name::{Name, Name8, TerminalName};
use kernel::region::Region;
use kernel::security::Users;
use kernel::terminals::{Owner, Terminal, Terminals};
use parking_lot::Mutex;

use super::message::Shown;
use super::surrogate::{AtOwners, Surrogate, Way};

/// The terminals of other regions, by the APPLID of their owner and their names there.
#[derive(Default)]
pub(crate) struct Shipped(Mutex<BTreeMap<(Name8, TerminalName), Arc<One>>>);

/// A terminal of another region.
pub(super) struct One {
    /// Its description.
    shown: Shown,
    pub terminal: Arc<Terminal>,
    pub line: Arc<Surrogate>,
    used: Mutex<Instant>,
}

impl One {
    /// Returns true if no task uses it, and none has for so long.
    fn is_idle(&self, longest: Duration) -> bool {
        self.terminal.task().is_none() && self.used.lock().elapsed() >= longest
    }
}

/// The reason why a terminal cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoTerminal {
    /// A task runs at it.
    Busy,
    /// It is none.
    Wrong,
    /// There are too many.
    Full,
}

impl Shipped {
    /// The terminal that an owner describes: the one of before, if it is still like that, or a new one.
    ///
    /// # Errors
    /// See [`NoTerminal`].
    pub(super) fn of(
        &self,
        region: &Region,
        (applid, system): (Name8, Name<4>),
        shown: &Shown,
        there: impl FnOnce() -> Box<dyn AtOwners>,
    ) -> Result<Arc<One>, NoTerminal> {
        let name = TerminalName::new(shown.name);
        let mut all = self.0.lock();
        if let Some(one) = all.get(&(applid, name)) {
            if one.terminal.task().is_some() {
                return Err(NoTerminal::Busy);
            }
            if one.shown == *shown && !one.terminal.is_gone() {
                *one.used.lock() = Instant::now();
                return Ok(Arc::clone(one));
            }
            Terminals::of(region).remove(one.terminal.name);
            all.remove(&(applid, name));
        }
        let parts = shown.parts().ok_or(NoTerminal::Wrong)?;
        let line = Surrogate::new(Owner { system, applid, name }, there());
        let user = Arc::clone(&Users::of(region).default);
        let way = Box::new(Way(Arc::clone(&line)));
        let make = |own| Terminal::new(own, Name8::new(shown.netname), parts, user, way);
        let terminal = Terminals::of(region).ship(name, make).map_err(|_| NoTerminal::Full)?;
        let one = One { shown: shown.clone(), terminal, line, used: Mutex::new(Instant::now()) };
        let one = Arc::new(one);
        all.insert((applid, name), Arc::clone(&one));
        Ok(one)
    }

    /// Takes a terminal away whose connection is lost.
    pub(super) fn lost(&self, region: &Region, one: &One) {
        one.terminal.hang_up();
        let mut all = self.0.lock();
        all.retain(|_, other| !Arc::ptr_eq(&other.terminal, &one.terminal));
        Terminals::of(region).remove(one.terminal.name);
    }

    /// Takes away those that no task uses, and none has for so long. Returns how many.
    pub(super) fn tidy(&self, region: &Region, longest: Duration) -> usize {
        let mut all = self.0.lock();
        let before = all.len();
        all.retain(|_, one| {
            let stays = !one.is_idle(longest);
            if !stays {
                Terminals::of(region).remove(one.terminal.name);
            }
            stays
        });
        before - all.len()
    }
}
