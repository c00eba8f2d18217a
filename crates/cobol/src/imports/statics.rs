//! What the runtime would keep in variables of its own, the same for all tasks, and each link level has for itself here:
//! where random numbers stand in their sequence, and switches.

use std::ffi::{c_int, c_uint};

use super::running;

/// `rand`, as FUNCTION RANDOM uses it: the next of the level's own sequence.
pub(super) unsafe extern "C" fn random() -> c_int {
    running().map_or(0, |(_, level)| {
        let next = level.random.get().wrapping_add(0x9e37_79b9);
        level.random.set(next);
        // What follows each other is mixed, so that it looks like nothing of the kind.
        let mixed = (next ^ next >> 16).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
        ((mixed ^ mixed >> 16) >> 1).cast_signed()
    })
}

/// `srand`: FUNCTION RANDOM with an argument.
pub(super) unsafe extern "C" fn seed_random(seed: c_uint) {
    if let Some((_, level)) = running() {
        level.random.set(seed);
    }
}

/// The bit of a switch; none if there is no such switch.
fn switch(number: c_int) -> u64 {
    u32::try_from(number).ok().and_then(|number| 1_u64.checked_shl(number)).unwrap_or(0)
}

/// `cob_get_switch`.
pub(super) unsafe extern "C" fn get_switch(number: c_int) -> c_int {
    running().map_or(0, |(_, level)| c_int::from(level.switches.get() & switch(number) != 0))
}

/// `cob_set_switch`.
pub(super) unsafe extern "C" fn set_switch(number: c_int, on: c_int) {
    if let Some((_, level)) = running() {
        let others = level.switches.get() & !switch(number);
        level.switches.set(if on != 0 { others | switch(number) } else { others });
    }
}
