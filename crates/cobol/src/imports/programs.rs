//! Entering, calling and leaving programs.

use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::rc::Rc;

use foldhash::HashMap;

use super::services::{SERVICES, program_start};
use super::{give_up_with, leave, running};
use crate::answer::{self, Asked};
use crate::image::Slot;
use crate::layout::{Contained, EXCEPTION_PROGRAM_NOT_FOUND, Field, Global, Module};
use crate::memory;
use crate::signals;
use crate::tcb::{self, Event, Tcb};

/// Bytes of stack that a program must find when it is entered: for itself and the runtime's functions. A stack that
/// ran out inside one of those could leave a lock of libc held for ever.
const STACK_RESERVE: usize = 64 * 1024;

/// `cob_module_global_enter`: every program comes here first. Where it came from goes along, as a sixth argument.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn module_enter() {
    naked_asm!("mov r9, qword ptr [rsp]", "jmp {enter}", enter = sym enter)
}

/// `from`: where in its code the program entered its module.
unsafe extern "C" fn enter(
    variable: *mut *mut Module,
    global: *mut *mut Global,
    initialize: c_int,
    entry: c_int,
    name_hash: *const u32,
    from: usize,
) -> c_int {
    let Some((tcb, level)) = running() else { return -1 };
    if signals::stack_left() < STACK_RESERVE {
        leave(Event::StackUsedUp);
    }
    // SAFETY: the level is in place, and the current module's CALL leads here.
    unsafe { level.results.keep(tcb) };
    // A program that was not entered by its start or by a CALL of ours came in through a procedure pointer; one that is
    // RECURSIVE has a module for each of its runs, and the pointer to it on the stack. Plain references: the runtime may
    // end the task in here, and a count held would never be given back.
    let slot = level.entered_at(variable as usize).or_else(|| {
        let slot = tcb.slot_at(variable as usize).or_else(|| tcb.slot_with_text(from))?;
        level.enter(&slot);
        Some(Rc::as_ptr(&slot))
    });
    // SAFETY: the level has entered the program, which keeps it loaded.
    let slot = slot.map(|slot| unsafe { &*slot });
    let owns_module = |slot: &&Slot| slot.data_contains(variable as usize);
    if let Some(slot) = slot.filter(owns_module) {
        // SAFETY: the address lies in the program's data, and the program says that it is its module pointer.
        unsafe { slot.before_enter(variable) };
    }
    // SAFETY: the program's own arguments.
    let result = unsafe { (tcb.runtime.module_enter)(variable, global, initialize, entry, name_hash) };
    match slot.filter(owns_module) {
        // SAFETY: as above.
        Some(slot) => unsafe { slot.after_enter(variable) },
        // SAFETY: the runtime has made a module for this run of the program.
        None if result == 0 => unsafe { level.add_module(*variable) },
        None => {}
    }
    tcb.entered.set(slot.map_or(std::ptr::null(), std::ptr::from_ref));
    result
}

/// `cob_module_free`: a run of a RECURSIVE program ends, or one of an INITIAL program, whose module is its program's.
pub(super) unsafe extern "C" fn module_free(variable: *mut *mut Module) {
    let Some((tcb, level)) = running() else { return };
    let slot = level.entered_at(variable as usize);
    // SAFETY: the level has entered the program, which keeps it loaded.
    if slot.is_some_and(|slot| unsafe { &*slot }.data_contains(variable as usize)) {
        // Images of other levels point to it, and the next run finds it again.
        // SAFETY: the program's own variable, in place.
        unsafe { *variable = std::ptr::null_mut() };
        return;
    }
    // SAFETY: the program's own variable.
    unsafe {
        level.forget_module(*variable);
        (tcb.runtime.module_free)(variable);
    }
}

/// STOP RUN: never returns to the program.
pub(super) unsafe extern "C" fn stop_run(code: c_int) -> ! {
    leave(Event::Stop(code))
}

/// Where every run-time error ends, after the runtime wrote its message.
pub(super) unsafe extern "C" fn give_up(_: c_int) -> ! {
    leave(Event::GaveUp)
}

/// The addresses that CALLs of names of ours go to: those of commands, and those of these services.
pub fn own_addresses(services: &[&str]) -> HashMap<String, usize> {
    let commands = [
        (spec::call::EXEC_SYMBOL, answer::command as *const ()),
        (spec::call::ENTRY_SYMBOL, program_start as *const ()),
    ];
    let services = services.iter().zip(SERVICES).map(|(name, service)| (*name, *service as *const ()));
    // Commands come last: no service may take their names.
    services.chain(commands).map(|(name, address)| (name.to_owned(), address as usize)).collect()
}

/// The address that a CALL of this name goes to on this TCB, whatever task makes it: a command's, or a service's.
pub fn own_address(tcb: &Tcb, name: &str) -> Option<usize> {
    tcb.own_addresses.get(name).copied()
}

/// The address that a CALL of this name goes to: our own, or a program's, put in place.
fn find(name: &str) -> Option<usize> {
    let (tcb, level) = running()?;
    if let Some(address) = own_address(tcb, name).or_else(|| level.entered(name)) {
        return Some(address);
    }
    answer::ask(Asked::Program(name));
    let slot = level.answer.take()?;
    if let Some(message) = slot.lacks_external(level) {
        // A count held would never be given back.
        drop(slot);
        give_up_with(tcb, message);
    }
    level.enter(&slot);
    Some(slot.entry)
}

/// `cob_resolve_cobol`: the address of a program; with `must`, its absence ends the task. The runtime's own search, which
/// would load any file of that name, is never asked; its routines are bound where modules are loaded.
pub(super) unsafe extern "C" fn resolve(name: *const c_char, _: c_int, must: c_int) -> *const c_void {
    // SAFETY: cobc passes a terminated literal, `call_field` a terminated copy.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    let text = str::from_utf8(bytes).unwrap_or_default();
    let Some(tcb) = tcb::current() else { return std::ptr::null() };
    match find(text) {
        Some(address) => address as *const c_void,
        None if must != 0 => leave(Event::Missing(String::from_utf8_lossy(bytes).into_owned())),
        None => {
            // SAFETY: an exception number of libcob.
            unsafe { (tcb.runtime.set_exception)(EXCEPTION_PROGRAM_NOT_FOUND) };
            std::ptr::null()
        }
    }
}

/// Longest program name that a CALL may have, with its terminating zero.
const NAME_SIZE: usize = 64;

/// The text of a name field, without leading and trailing blanks, terminated; `None` if it is not storage.
unsafe fn name_of(field: *const Field) -> Option<[u8; NAME_SIZE]> {
    // SAFETY: the program passes one of its fields.
    let (data, size) = unsafe { ((*field).data as usize, (*field).size) };
    let mut raw = [0; NAME_SIZE];
    let size = size.min(NAME_SIZE - 1);
    memory::read(data, &mut raw[..size]).ok()?;
    let text = raw[..size].trim_ascii();
    let mut name = [0; NAME_SIZE];
    name[..text.len()].copy_from_slice(text);
    Some(name)
}

/// `cob_call_field`: the address of the program that a field names.
pub(super) unsafe extern "C" fn call_field(
    field: *const Field,
    mut contained: *const Contained,
    must: c_int,
    fold: c_int,
) -> *const c_void {
    // SAFETY: the program passes one of its fields.
    let Some(name) = (unsafe { name_of(field) }) else {
        leave(Event::Missing(String::new()));
    };
    let pointer = name.as_ptr().cast::<c_char>();
    // SAFETY: a list of contained programs that ends with a null name, or none.
    unsafe {
        while let Some(program) = contained.as_ref().filter(|p| !p.name.is_null()) {
            if CStr::from_ptr(program.name) == CStr::from_ptr(pointer) {
                return program.entry;
            }
            contained = contained.add(1);
        }
        resolve(pointer, fold, must)
    }
}

/// `cob_cancel`: the program is fresh at its next CALL.
pub(super) unsafe extern "C" fn cancel(name: *const c_char) {
    // SAFETY: cobc passes a terminated literal, `cancel_field` a terminated copy.
    let name = unsafe { CStr::from_ptr(name) };
    if let (Some((_, level)), Ok(name)) = (running(), name.to_str()) {
        level.cancel(name);
    }
}

/// `cob_cancel_field`.
pub(super) unsafe extern "C" fn cancel_field(field: *const Field, _: *const Contained) {
    // SAFETY: the program passes one of its fields; the copy is terminated.
    unsafe {
        if let Some(name) = name_of(field) {
            cancel(name.as_ptr().cast());
        }
    }
}

/// `cob_set_cancel`: the runtime's list of programs would hold on to unloaded ones.
pub(super) unsafe extern "C" fn no_set_cancel(_: *mut Module) {}

/// `cob_trace_stmt` and its like, at every statement of programs that know their lines: nobody traces.
pub(super) unsafe extern "C" fn no_trace() {}
