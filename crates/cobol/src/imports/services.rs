//! Commands and services: what a program CALLs of the host.

use std::ffi::c_int;

use super::running;
use crate::answer::{self, Asked};
use crate::layout::Field;
use crate::memory;
use crate::tcb::Tcb;

/// `CALL 'DFHEIN'`: the first statement of every program. VALUE clauses are applied, nothing else has run.
pub(super) unsafe extern "C" fn program_start() -> c_int {
    let Some((tcb, level)) = running() else { return 0 };
    // SAFETY: set by `module_enter`, which the calling program came through; loaded programs outlive their tasks.
    if let Some(slot) = unsafe { tcb.entered.get().as_ref() } {
        slot.capture_template(level);
    }
    // SAFETY: the runtime's current module is the caller; it set its parameter list for this call.
    let pointer = unsafe { argument(tcb, 1) };
    if let Some(pointer) = pointer {
        // SAFETY: a pointer variable of the calling program.
        let _ = unsafe { memory::write((*pointer).data as usize, &level.eib.to_ne_bytes()) };
    }
    level.label.take()
}

/// The field of an argument of the call that the current module makes.
///
/// # Safety
/// A module is calling.
unsafe fn argument(tcb: &Tcb, index: usize) -> Option<*mut Field> {
    // SAFETY: the runtime's structures, as the caller of this function says.
    unsafe {
        let global = &*tcb.runtime.global();
        let given = usize::try_from(global.call_params).unwrap_or(0);
        let field = (index < given).then(|| *(*global.current_module).parameters.add(index))?;
        (!field.is_null()).then_some(field)
    }
}

macro_rules! services {
    ($($index:literal)*) => {
        /// One function for each service that a host may have: a service knows its index by its address.
        pub(super) static SERVICES: &[unsafe extern "C" fn() -> c_int] = &[$(service::<$index>),*];
    };
}
services! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
}

/// Most services that a host can have.
pub const SERVICES_MAX: usize = 64;

unsafe extern "C" fn service<const INDEX: usize>() -> c_int {
    answer::ask(Asked::Service(INDEX))
}
