//! What a task's programs keep, for dumps: where each item of their storage is.

use std::path::PathBuf;

use crate::image::Level;

/// A program that a task has entered. Addresses are read as any that the program gave.
#[derive(Clone, Debug)]
pub struct Entered {
    /// How many link levels on this TCB lie below it: 0 for the program that runs, and for those that it has CALLed.
    pub below: usize,
    /// Its PROGRAM-ID.
    pub name: String,
    /// The compiled module.
    pub module: PathBuf,
    /// The items of its storage by the compiler's numbers: address and length.
    pub items: Vec<(u32, usize, usize)>,
    /// Where its LOCAL-STORAGE is, if it has any and is the level's first program: whose the others' is nobody knows.
    pub local: Option<usize>,
}

/// The programs of a level and of those that linked to it, in this order.
pub(crate) fn entered(last: &Level) -> Vec<Entered> {
    let mut all = Vec::new();
    let mut level = Some(last);
    let mut below = 0;
    while let Some(this) = level {
        let local = this.first_allocation();
        for (place, slot) in this.slots().into_iter().enumerate() {
            all.push(Entered {
                below,
                name: slot.name.clone(),
                module: slot.library.origin.clone(),
                items: slot.library.storage_items(),
                local: local.filter(|_| place == 0),
            });
        }
        level = this.parent.as_deref();
        below += 1;
    }
    all
}
