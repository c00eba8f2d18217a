//! The functions that stand in for imports of private runtimes and modules.
//!
//! A loaded copy's references to these symbols are bound to the functions here ([`crate::elf::Segments::bind`]), so
//! that a program's calls come to this crate without any symbol of ours being visible to anyone else. They run on
//! the stack of a task; one that suspends holds nothing that would need dropping, because the task may never go on.

mod bytes;
mod decimals;
mod division;
mod files;
mod functions;
mod long;
mod moves;
mod process;
mod programs;
mod refusals;
mod services;
mod statics;
mod storage;
mod streams;
mod whole;
mod zoned;

use std::ffi::{CStr, c_int};

pub use long::{COUNT as LONG_COUNT, LONG, LongFunction};
pub use moves::Moved;
pub use programs::{own_address, own_addresses};
pub use services::SERVICES_MAX;
use streams::Streams;

use crate::checks;
use crate::image::Level;
use crate::signals;
use crate::tcb::{self, Event, Tcb};

/// How many places of a runtime must at least be bound for its errors and streams to come to us.
pub const RUNTIME_BINDINGS_MIN: usize = 8;

/// What a private runtime must not get from libc or from itself.
pub fn for_runtime() -> Vec<(&'static CStr, usize)> {
    let streams = Streams::open();
    vec![
        (c"cob_stop_run", programs::give_up as *const () as usize),
        (c"exit", programs::give_up as *const () as usize),
        (c"cob_decimal_set_field", decimals::load_within as *const () as usize),
        (c"cob_decimal_get_field", decimals::store_decimal as *const () as usize),
        (c"cob_decimal_pow", decimals::raise_within as *const () as usize),
        (c"rand", statics::random as *const () as usize),
        (c"srand", statics::seed_random as *const () as usize),
        (c"stdin", &raw const streams.input as usize),
        (c"stdout", &raw const streams.output as usize),
        (c"stderr", &raw const streams.errors as usize),
        (c"sigaction", process::no_sigaction as *const () as usize),
        (c"setlocale", process::no_setlocale as *const () as usize),
        (c"getenv", process::environment as *const () as usize),
        (c"setenv", process::refused as *const () as usize),
        (c"putenv", process::refused as *const () as usize),
        (c"unsetenv", process::refused as *const () as usize),
        (c"chdir", process::refused as *const () as usize),
        (c"system", process::refused as *const () as usize),
        (c"fork", process::refused as *const () as usize),
        (c"raise", process::no_signal as *const () as usize),
        (c"initscr", refusals::screen as *const () as usize),
        (c"memcmp", long::compare_bytes as *const () as usize),
        (c"qsort", long::sort as *const () as usize),
        (c"cob_resolve_cobol", programs::resolve as *const () as usize),
        (c"cob_module_global_enter", programs::module_enter as *const () as usize),
    ]
}

/// What a module must not get from its runtime.
pub fn for_module() -> Vec<(&'static CStr, usize)> {
    vec![
        (c"cob_stop_run", programs::stop_run as *const () as usize),
        (c"cob_module_global_enter", programs::module_enter as *const () as usize),
        (c"cob_module_free", programs::module_free as *const () as usize),
        (c"cob_resolve_cobol", programs::resolve as *const () as usize),
        (c"cob_call_field", programs::call_field as *const () as usize),
        (c"cob_set_cancel", programs::no_set_cancel as *const () as usize),
        (c"cob_cancel", programs::cancel as *const () as usize),
        (c"cob_cancel_field", programs::cancel_field as *const () as usize),
        (c"cob_malloc", storage::allocate as *const () as usize),
        (c"cob_free", storage::release as *const () as usize),
        (c"cob_external_addr", storage::external as *const () as usize),
        (c"cob_allocate", storage::allocate_statement as *const () as usize),
        (c"cob_free_alloc", storage::free_statement as *const () as usize),
        (c"cob_move", moves::move_field as *const () as usize),
        (c"cob_move_ibm", moves::move_from_left as *const () as usize),
        (c"cob_put_indirect_field", moves::take_moved as *const () as usize),
        (c"cob_get_indirect_field", moves::give_moved as *const () as usize),
        (c"cob_accept", streams::accept as *const () as usize),
        (c"cob_file_malloc", files::make_file as *const () as usize),
        (c"EXTFH", files::file_handler as *const () as usize),
        (c"cob_extfh_read_next", files::file_read_next as *const () as usize),
        (c"cob_extfh_write", files::file_write as *const () as usize),
        (c"cob_commit", files::commit as *const () as usize),
        (c"cob_rollback", files::rollback as *const () as usize),
        (c"cob_decimal_set_field", decimals::load_decimal as *const () as usize),
        (c"cob_decimal_get_field", decimals::store_decimal as *const () as usize),
        (c"cob_decimal_init", decimals::make_constant as *const () as usize),
        (c"cob_decimal_clear", decimals::keep_constant as *const () as usize),
        (c"cob_decimal_push", decimals::push as *const () as usize),
        (c"cob_decimal_pop", decimals::pop as *const () as usize),
        (c"cob_decimal_set_llint", decimals::set as *const () as usize),
        (c"cob_decimal_set_ullint", decimals::set_unsigned as *const () as usize),
        (c"cob_decimal_add", decimals::add as *const () as usize),
        (c"cob_decimal_sub", decimals::subtract as *const () as usize),
        (c"cob_decimal_mul", decimals::multiply as *const () as usize),
        (c"cob_decimal_pow", decimals::raise as *const () as usize),
        (c"cob_decimal_cmp", decimals::compare as *const () as usize),
        (c"cob_add", decimals::add_field as *const () as usize),
        (c"cob_sub", decimals::subtract_field as *const () as usize),
        (c"cob_mul", decimals::multiply_field as *const () as usize),
        (c"cob_div", decimals::divide_field as *const () as usize),
        (c"cob_cmp_numdisp", zoned::compare_digits as *const () as usize),
        (c"cob_cmp", zoned::compare as *const () as usize),
        (c"cob_cmp_llint", zoned::compare_word as *const () as usize),
        (c"cob_get_int", zoned::get_int as *const () as usize),
        (c"cob_get_llint", zoned::get_word as *const () as usize),
        (c"cob_add_int", zoned::add_int as *const () as usize),
        (c"cob_sub_int", zoned::subtract_int as *const () as usize),
        (c"cob_intr_abs", functions::amount as *const () as usize),
        (c"cob_intr_exp", functions::exponential as *const () as usize),
        (c"cob_intr_exp10", functions::power_of_ten as *const () as usize),
        (c"cob_intr_factorial", functions::factorial as *const () as usize),
        (c"cob_get_switch", statics::get_switch as *const () as usize),
        (c"cob_set_switch", statics::set_switch as *const () as usize),
        (c"cob_intr_numval", functions::number_of as *const () as usize),
        (c"cob_intr_numval_c", functions::amount_of as *const () as usize),
        (c"cob_check_numeric", checks::check_numeric as *const () as usize),
        (c"cob_check_subscript", checks::check_subscript as *const () as usize),
        (c"cob_check_odo", checks::check_odo as *const () as usize),
        (c"cob_check_ref_mod_detailed", checks::check_ref_mod as *const () as usize),
        (c"cob_trace_entry", programs::no_trace as *const () as usize),
        (c"cob_trace_exit", programs::no_trace as *const () as usize),
        (c"cob_trace_sect", programs::no_trace as *const () as usize),
        (c"cob_trace_para", programs::no_trace as *const () as usize),
        (c"cob_trace_stmt", programs::no_trace as *const () as usize),
        (c"cob_nop", programs::no_trace as *const () as usize),
        (c"cob_file_sort_using", refusals::sort_by_names as *const () as usize),
        (c"cob_file_sort_giving", refusals::sort_by_names as *const () as usize),
    ]
}

/// The functions that may run long, as a module must call them.
pub fn for_long() -> [(&'static CStr, usize); LONG_COUNT] {
    std::array::from_fn(|index| (LONG[index], long::ENDABLE[index] as *const () as usize))
}

/// What a module must not get that runs as a task, among others of its process.
pub fn for_task(tcb: &Tcb) -> Vec<(&'static CStr, usize)> {
    let statements = [
        (c"cob_field_accept", refusals::screen as *const () as usize),
        (c"cob_field_display", refusals::screen as *const () as usize),
        (c"cob_screen_accept", refusals::screen as *const () as usize),
        (c"cob_screen_display", refusals::screen as *const () as usize),
        (c"cob_accept", refusals::console as *const () as usize),
        (c"cob_continue_after", refusals::sleep as *const () as usize),
        (c"cob_delete_file", refusals::delete_file as *const () as usize),
        (c"cob_file_sort_init", refusals::sort_file as *const () as usize),
        (c"cob_resolve_func", refusals::function as *const () as usize),
        (c"cob_accept_arg_value", refusals::environment as *const () as usize),
        (c"cob_accept_command_line", refusals::environment as *const () as usize),
        (c"cob_accept_environment", refusals::environment as *const () as usize),
        (c"cob_display_arg_number", refusals::environment as *const () as usize),
        (c"cob_display_command_line", refusals::environment as *const () as usize),
        (c"cob_display_env_value", refusals::environment as *const () as usize),
        (c"cob_display_environment", refusals::environment as *const () as usize),
        (c"cob_set_environment", refusals::environment as *const () as usize),
    ];
    statements.into_iter().chain(refusals::routines(tcb)).collect()
}

/// Whether a module may get something else than a function of ours: from its runtime, or what a C compiler makes use of. All
/// else a CALL STATIC asks for: a function of the process.
pub fn is_ordinary(name: &str) -> bool {
    const PREFIXES: [&str; 5] = ["cob_", "__gmp", "_ITM_", "mem", "str"];
    const NAMES: [&str; 7] = [
        "EXTFH",
        "__cxa_finalize",
        "__gmon_start__",
        "__stack_chk_fail",
        "__memcpy_chk",
        "__memset_chk",
        "__memmove_chk",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name)
}

/// What a module that divides within calculations must not get from its runtime.
pub fn for_division() -> [(&'static CStr, usize); 1] {
    [(c"cob_decimal_div", division::divide as *const () as usize)]
}

/// What goes with it: all else that such a module calculates with.
pub fn for_calculations() -> [(&'static CStr, usize); 9] {
    [
        (c"cob_decimal_set_field", division::load as *const () as usize),
        (c"cob_decimal_set_llint", division::set as *const () as usize),
        (c"cob_decimal_set_ullint", division::set_unsigned as *const () as usize),
        (c"cob_decimal_add", division::add as *const () as usize),
        (c"cob_decimal_sub", division::subtract as *const () as usize),
        (c"cob_decimal_mul", division::multiply as *const () as usize),
        (c"cob_decimal_pow", division::raise as *const () as usize),
        (c"cob_decimal_get_field", division::store as *const () as usize),
        (c"cob_decimal_cmp", division::compare as *const () as usize),
    ]
}

/// The TCB of this thread and the level that runs on it.
#[inline(always)]
fn running<'a>() -> Option<(&'a Tcb, &'a Level)> {
    let tcb = tcb::current()?;
    // SAFETY: a run sets the pointer before it resumes its coroutine and keeps the level alive meanwhile.
    Some((tcb, unsafe { tcb.running.get().as_ref()? }))
}

/// Leaves the program until it is resumed; what its caller says then.
#[inline(always)]
fn suspend(event: Event) -> c_int {
    tcb::current().and_then(|tcb| tcb.suspend(event)).unwrap_or(0)
}

/// Leaves the program for good, with a message such as the runtime's own.
fn give_up_with(tcb: &Tcb, message: String) -> ! {
    tcb.console.borrow_mut().messages.extend_from_slice(message.as_bytes());
    // Nothing that would need dropping stays behind on the task's stack.
    drop(message);
    leave(Event::GaveUp)
}

/// Leaves the program for good.
pub fn leave(event: Event) -> ! {
    signals::record_leaving();
    suspend(event);
    // Only the initialization of a runtime comes here: outside a task there is nowhere to go.
    std::process::abort()
}
