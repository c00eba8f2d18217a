//! Program images: which task's memory lies in a program's data segment, and where the others' are kept.
//!
//! A module's writable segment and its `cob_module` are all the state a program has. They hold one task's state at a
//! time. A task that wants a program another living task has in place *displaces* it: the other's bytes are saved,
//! and restored when that task goes on. A task that nobody disturbs pays one comparison.

mod level;
mod slot;

use std::cell::RefCell;
use std::rc::Rc;

pub use level::Level;
pub use slot::Slot;

use crate::tcb::Tcb;

/// One task's state of one program, out of place: the bytes of its data, and of its modules behind them.
type Image = Vec<u8>;

/// Buffers that a program keeps for the next displacements.
const SPARE_MAX: usize = 8;

/// A program entered by a link level.
pub struct Entry {
    slot: Rc<Slot>,
    saved: RefCell<Option<Image>>,
}

impl Entry {
    fn place(self: &Rc<Self>, tcb: &Tcb) {
        if self.slot.is_occupied_by(self) {
            return;
        }
        self.slot.displace(tcb);
        if let Some(image) = self.saved.borrow_mut().take() {
            self.slot.load(&image);
            let mut spare = self.slot.spare.borrow_mut();
            if spare.len() < SPARE_MAX {
                spare.push(image);
            }
        }
        *self.slot.occupant.borrow_mut() = Rc::downgrade(self);
    }
}
