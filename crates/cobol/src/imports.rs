//! The functions that stand in for imports of private runtimes and modules.
//!
//! A loaded copy's references to these symbols are bound to the functions here ([`crate::elf::Segments::bind`]), so
//! that a program's calls come to this crate without any symbol of ours being visible to anyone else. They run on
//! the stack of a task; one that suspends holds nothing that would need dropping, because the task may never go on.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::rc::Rc;

use crate::answer;
use crate::checks;
use crate::file;
use crate::image::Level;
use crate::layout::{Contained, EXCEPTION_PROGRAM_NOT_FOUND, Field, Global, Module};
use crate::memory;
use crate::signals;
use crate::tcb::{self, Event, Tcb};

/// How many places of a runtime must at least be bound for its errors and streams to come to us.
pub const RUNTIME_BINDINGS_MIN: usize = 8;

/// What a private runtime must not get from libc or from itself.
pub fn for_runtime() -> [(&'static CStr, usize); 17] {
    let streams = Streams::open();
    [
        (c"cob_stop_run", give_up as *const () as usize),
        (c"exit", give_up as *const () as usize),
        (c"cob_decimal_get_field", checks::store_decimal as *const () as usize),
        (c"stdin", &raw const streams.input as usize),
        (c"stdout", &raw const streams.output as usize),
        (c"stderr", &raw const streams.errors as usize),
        (c"sigaction", no_sigaction as *const () as usize),
        (c"setlocale", no_setlocale as *const () as usize),
        (c"getenv", environment as *const () as usize),
        (c"setenv", refused as *const () as usize),
        (c"putenv", refused as *const () as usize),
        (c"unsetenv", refused as *const () as usize),
        (c"chdir", refused as *const () as usize),
        (c"system", refused as *const () as usize),
        (c"fork", refused as *const () as usize),
        (c"cob_resolve_cobol", resolve as *const () as usize),
        (c"cob_module_global_enter", module_enter as *const () as usize),
    ]
}

/// What a module must not get from its runtime.
pub fn for_module() -> [(&'static CStr, usize); 26] {
    [
        (c"cob_stop_run", stop_run as *const () as usize),
        (c"cob_module_global_enter", module_enter as *const () as usize),
        (c"cob_resolve_cobol", resolve as *const () as usize),
        (c"cob_call_field", call_field as *const () as usize),
        (c"cob_set_cancel", no_set_cancel as *const () as usize),
        (c"cob_cancel", cancel as *const () as usize),
        (c"cob_cancel_field", cancel_field as *const () as usize),
        (c"cob_malloc", allocate as *const () as usize),
        (c"cob_free", release as *const () as usize),
        (c"cob_accept", accept as *const () as usize),
        (c"EXTFH", file_handler as *const () as usize),
        (c"cob_extfh_read_next", file_read_next as *const () as usize),
        (c"cob_extfh_write", file_write as *const () as usize),
        (c"cob_commit", commit as *const () as usize),
        (c"cob_rollback", rollback as *const () as usize),
        (c"cob_decimal_get_field", checks::store_decimal as *const () as usize),
        (c"cob_check_numeric", checks::check_numeric as *const () as usize),
        (c"cob_check_subscript", checks::check_subscript as *const () as usize),
        (c"cob_check_odo", checks::check_odo as *const () as usize),
        (c"cob_check_ref_mod_detailed", checks::check_ref_mod as *const () as usize),
        (c"cob_trace_entry", no_trace as *const () as usize),
        (c"cob_trace_exit", no_trace as *const () as usize),
        (c"cob_trace_sect", no_trace as *const () as usize),
        (c"cob_trace_para", no_trace as *const () as usize),
        (c"cob_trace_stmt", no_trace as *const () as usize),
        (c"cob_nop", no_trace as *const () as usize),
    ]
}

// ---- Commands and services -------------------------------------------------------------------------------------

/// `CALL 'DFHEIN'`: the first statement of every program. VALUE clauses are applied, nothing else has run.
unsafe extern "C" fn program_start() -> c_int {
    let Some((tcb, level)) = running() else { return 0 };
    // SAFETY: set by `module_enter`, which the calling program came through; loaded programs outlive their tasks.
    if let Some(slot) = unsafe { tcb.entered.get().as_ref() }
        && slot.capture_template()
    {
        // What the program allocated so far belongs to the image that every task starts with.
        level.allocations.borrow_mut().clear();
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
        static SERVICES: &[unsafe extern "C" fn() -> c_int] = &[$(service::<$index>),*];
    };
}
services! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
}

/// Most services that a host can have.
pub const SERVICES_MAX: usize = 64;

unsafe extern "C" fn service<const INDEX: usize>() -> c_int {
    suspend(Event::Service(INDEX))
}

// ---- COBOL's own files -----------------------------------------------------------------------------------------

/// `EXTFH`: libcob calls it for each statement about a file.
unsafe extern "C" fn file_handler(code: *const u8, block: usize) -> c_int {
    let mut bytes = [0; size_of::<u16>()];
    if memory::read(code as usize, &mut bytes).is_err() {
        return -1;
    }
    let file = tcb::current().map_or(0, |tcb| tcb.file.take());
    suspend(Event::File(u16::from_be_bytes(bytes), block, file))
}

/// `cob_extfh_read_next`: as it is, but the handler learns of which file.
unsafe extern "C" fn file_read_next(handler: *const c_void, file: usize, status: *mut Field, options: c_int) {
    let Some(tcb) = tcb::current() else { return };
    tcb.file.set(file);
    // SAFETY: the program's own arguments.
    unsafe { (tcb.runtime.file_read_next)(handler, file, status, options) };
}

/// `cob_extfh_write`: the same.
unsafe extern "C" fn file_write(
    handler: *const c_void,
    file: usize,
    record: *mut Field,
    options: c_int,
    status: *mut Field,
    check_eop: c_uint,
) {
    let Some(tcb) = tcb::current() else { return };
    tcb.file.set(file);
    // SAFETY: the program's own arguments.
    unsafe { (tcb.runtime.file_write)(handler, file, record, options, status, check_eop) };
}

/// COMMIT.
unsafe extern "C" fn commit() {
    suspend(Event::File(file::COMMIT, 0, 0));
}

/// ROLLBACK.
unsafe extern "C" fn rollback() {
    suspend(Event::File(file::ROLLBACK, 0, 0));
}

// ---- Entering, calling, leaving --------------------------------------------------------------------------------

/// Bytes of stack that a program must find when it is entered: for itself and the runtime's functions. A stack that
/// ran out inside one of those could leave a lock of libc held for ever.
const STACK_RESERVE: usize = 64 * 1024;

#[inline(always)]
fn running<'a>() -> Option<(&'a Tcb, &'a Level)> {
    let tcb = tcb::current()?;
    // SAFETY: a run sets the pointer before it resumes its coroutine and keeps the level alive meanwhile.
    Some((tcb, unsafe { tcb.running.get().as_ref()? }))
}

#[inline(always)]
fn suspend(event: Event) -> c_int {
    tcb::current().and_then(|tcb| tcb.suspend(event)).unwrap_or(0)
}

/// `cob_module_global_enter`: every program comes here first.
unsafe extern "C" fn module_enter(
    variable: *mut *mut Module,
    global: *mut *mut Global,
    initialize: c_int,
    entry: c_int,
    name_hash: *const u32,
) -> c_int {
    let Some((tcb, level)) = running() else { return -1 };
    if signals::stack_left() < STACK_RESERVE {
        leave(Event::StackUsedUp);
    }
    // A program that was not entered by its start or by a CALL of ours came in through a procedure pointer. Plain
    // references: the runtime may end the task in here, and a count held would never be given back.
    let slot = level.entered_at(variable as usize).or_else(|| {
        let slot = tcb.slot_at(variable as usize)?;
        level.enter(&slot);
        Some(Rc::as_ptr(&slot))
    });
    // SAFETY: the level has entered the program, which keeps it loaded.
    let slot = slot.map(|slot| unsafe { &*slot });
    if let Some(slot) = slot {
        // SAFETY: the address lies in the program's data, and the program says that it is its module pointer.
        unsafe { slot.before_enter(variable) };
    }
    // SAFETY: the program's own arguments.
    let result = unsafe { (tcb.runtime.module_enter)(variable, global, initialize, entry, name_hash) };
    if let Some(slot) = slot {
        // SAFETY: as above.
        unsafe { slot.after_enter(variable) };
        tcb.entered.set(slot);
    }
    result
}

/// STOP RUN: never returns to the program.
unsafe extern "C" fn stop_run(code: c_int) -> ! {
    leave(Event::Stop(code))
}

/// Where every run-time error ends, after the runtime wrote its message.
unsafe extern "C" fn give_up(_: c_int) -> ! {
    leave(Event::GaveUp)
}

pub fn leave(event: Event) -> ! {
    signals::record_leaving();
    suspend(event);
    // Only the initialization of a runtime comes here: outside a task there is nowhere to go.
    std::process::abort()
}

/// The address that a CALL of this name goes to: a command, a service, or a program, put in place.
fn find(name: &str) -> Option<*const c_void> {
    let (tcb, level) = running()?;
    match name {
        spec::call::EXEC_SYMBOL => return Some(answer::command as *const c_void),
        spec::call::ENTRY_SYMBOL => return Some(program_start as *const c_void),
        _ => {}
    }
    if let Some(index) = tcb.services.iter().position(|s| s == name) {
        return Some(SERVICES[index] as *const c_void);
    }
    if let Some(entry) = level.entered(name) {
        return Some(entry as *const c_void);
    }
    suspend(Event::NeedProgram(name.to_owned()));
    let slot = level.answer.take()?;
    level.enter(&slot);
    Some(slot.entry as *const c_void)
}

/// Names that the runtime serves itself.
fn is_runtimes_own(name: &str) -> bool {
    name.starts_with("CBL_") || name.starts_with("C$") || name.len() <= 1
}

/// `cob_resolve_cobol`: the address of a program; with `must`, its absence ends the task.
unsafe extern "C" fn resolve(name: *const c_char, fold: c_int, must: c_int) -> *const c_void {
    // SAFETY: cobc passes a terminated literal, `call_field` a terminated copy.
    let text = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default();
    let Some(tcb) = tcb::current() else { return std::ptr::null() };
    match find(text) {
        Some(address) => address,
        // SAFETY: the caller's own arguments.
        None if is_runtimes_own(text) => unsafe { (tcb.runtime.resolve)(name, fold, must) },
        None if must != 0 => leave(Event::Missing(text.to_owned())),
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
unsafe extern "C" fn call_field(
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
unsafe extern "C" fn cancel(name: *const c_char) {
    // SAFETY: cobc passes a terminated literal, `cancel_field` a terminated copy.
    let name = unsafe { CStr::from_ptr(name) };
    if let (Some((_, level)), Ok(name)) = (running(), name.to_str()) {
        level.cancel(name);
    }
}

/// `cob_cancel_field`.
unsafe extern "C" fn cancel_field(field: *const Field, _: *const Contained) {
    // SAFETY: the program passes one of its fields; the copy is terminated.
    unsafe {
        if let Some(name) = name_of(field) {
            cancel(name.as_ptr().cast());
        }
    }
}

/// `cob_set_cancel`: the runtime's list of programs would hold on to unloaded ones.
unsafe extern "C" fn no_set_cancel(_: *mut Module) {}

/// `cob_trace_stmt` and its like, at every statement of programs that know their lines: nobody traces.
unsafe extern "C" fn no_trace() {}

// ---- Storage that a program gets for one run -------------------------------------------------------------------

/// `cob_malloc` as modules call it: LOCAL-STORAGE, given back when the task ends in the middle of the program.
unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    // SAFETY: plain allocation; libcob's own is the same.
    let allocation = unsafe { libc::calloc(1, size.max(1)) };
    if allocation.is_null() {
        leave(Event::GaveUp);
    }
    if let Some((_, level)) = running() {
        level.allocations.borrow_mut().push(allocation);
    }
    allocation
}

/// `cob_free` as modules call it.
unsafe extern "C" fn release(allocation: *mut c_void) {
    if let Some((_, level)) = running() {
        level.allocations.borrow_mut().retain(|a| *a != allocation);
    }
    // SAFETY: the program gives back what `allocate`, or libcob by the same means, gave it.
    unsafe { libc::free(allocation) };
}

// ---- Standard streams ------------------------------------------------------------------------------------------

/// The streams of one private runtime, for as long as the process lives.
struct Streams {
    input: *mut libc::FILE,
    output: *mut libc::FILE,
    errors: *mut libc::FILE,
}

/// `cookie_io_functions_t` of glibc.
#[repr(C)]
struct CookieFunctions {
    read: *const c_void,
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> isize,
    seek: *const c_void,
    close: *const c_void,
}

unsafe extern "C" {
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions) -> *mut libc::FILE;
}

impl Streams {
    fn open() -> &'static Self {
        let open = |write| {
            let functions = CookieFunctions {
                read: std::ptr::null(),
                write,
                seek: std::ptr::null(),
                close: std::ptr::null(),
            };
            // SAFETY: the functions have the types that glibc asks for; unbuffered, so that nothing stays behind.
            unsafe {
                let file = fopencookie(std::ptr::null_mut(), c"w".as_ptr(), functions);
                libc::setvbuf(file, std::ptr::null_mut(), libc::_IONBF, 0);
                file
            }
        };
        // SAFETY: terminated strings.
        let input = unsafe { libc::fopen(c"/dev/null".as_ptr(), c"r".as_ptr()) };
        Box::leak(Box::new(Self { input, output: open(displayed), errors: open(reported) }))
    }
}

unsafe extern "C" fn displayed(_: *mut c_void, bytes: *const u8, length: usize) -> isize {
    // SAFETY: stdio passes its caller's buffer.
    unsafe { in_pieces(bytes, length, Tcb::displayed) }
}

unsafe extern "C" fn reported(_: *mut c_void, bytes: *const u8, length: usize) -> isize {
    // SAFETY: stdio passes its caller's buffer.
    unsafe {
        in_pieces(bytes, length, |tcb, piece| tcb.console.borrow_mut().messages.extend_from_slice(piece))
    }
}

/// Copies what is written piece by piece: the bytes may be a program's, and when reading them faults, nothing of
/// ours is borrowed.
///
/// # Safety
/// The bytes are a program's own, or readable.
unsafe fn in_pieces(bytes: *const u8, length: usize, take: impl Fn(&Tcb, &[u8])) -> isize {
    const PIECE: usize = 256;
    let mut piece = [0; PIECE];
    let mut done = 0;
    while done < length {
        let size = PIECE.min(length - done);
        // SAFETY: within the caller's bytes; a fault ends the program that gave them.
        unsafe { bytes.add(done).copy_to_nonoverlapping(piece.as_mut_ptr(), size) };
        if let Some(tcb) = tcb::current() {
            take(tcb, &piece[..size]);
        }
        done += size;
    }
    length as isize
}

/// `cob_accept`: the next line that the host was given; without one the field becomes blank or zero.
unsafe extern "C" fn accept(field: *mut Field) {
    static TEXT_ATTRIBUTE: crate::argument::ConstantAttribute =
        crate::argument::ConstantAttribute::ALPHANUMERIC;
    let Some(tcb) = tcb::current() else { return };
    let line = tcb.console.borrow_mut().input.pop_front();
    let mut text = line.filter(|line| !line.is_empty()).unwrap_or_else(|| " ".to_owned()).into_bytes();
    let mut given = Field { size: text.len(), data: text.as_mut_ptr(), attribute: TEXT_ATTRIBUTE.get() };
    // SAFETY: a field of the program, and one of ours that lives through the call.
    unsafe { (tcb.runtime.move_field)(&raw mut given, field) };
}

// ---- What a runtime must not do to the process -----------------------------------------------------------------

/// Signals are the region's.
unsafe extern "C" fn no_sigaction(_: c_int, _: *const c_void, _: *mut c_void) -> c_int {
    0
}

/// The locale is the process's; programs get "C".
unsafe extern "C" fn no_setlocale(_: c_int, _: *const c_char) -> *const c_char {
    c"C".as_ptr()
}

/// The environment without settings for the runtime: those are the region's.
unsafe extern "C" fn environment(name: *const c_char) -> *mut c_char {
    // SAFETY: a terminated name, as getenv wants it.
    unsafe {
        if CStr::from_ptr(name).to_bytes().starts_with(b"COB_") {
            return std::ptr::null_mut();
        }
        libc::getenv(name)
    }
}

/// What a program may not do to the process that it shares: change its environment or its directory, start another.
unsafe extern "C" fn refused() -> c_int {
    -1
}
