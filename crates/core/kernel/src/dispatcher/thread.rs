//! The thread of a TCB, as what runs on it sees it.

use std::any::{Any, type_name};
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use crate::meters::Meter;
use crate::monitoring::DispatchPlace;
use crate::region::Region;

/// State of a TCB's thread alone.
pub(crate) struct Tcb {
    pub index: usize,
    pub region: Arc<Region>,
    pub meter: Arc<Meter>,
    /// The part that the host of programs has here, found by its type.
    pub(super) kept: Box<dyn Any>,
}

thread_local! {
    /// The TCB of this thread.
    static HERE: RefCell<Weak<Tcb>> = const { RefCell::new(Weak::new()) };
}

/// The TCB of this thread, if it is one's.
pub(super) fn here() -> Option<Rc<Tcb>> {
    HERE.with_borrow(Weak::upgrade)
}

/// From now on this thread is that of a TCB.
pub(super) fn is_of(tcb: &Rc<Tcb>) {
    HERE.set(Rc::downgrade(tcb));
}

impl Tcb {
    /// The part of a type.
    ///
    /// # Panics
    /// If the thread was started with another one.
    pub(super) fn part<T: Any>(&self) -> &T {
        self.kept.downcast_ref().unwrap_or_else(|| panic!("a TCB has no part of type {}", type_name::<T>()))
    }

    /// This TCB as monitoring sees it; `home`: for a task that lives here.
    pub(super) fn place(&self, home: bool) -> DispatchPlace<'_> {
        DispatchPlace { meter: &self.meter, open: self.index != 0, home }
    }
}
