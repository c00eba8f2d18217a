//! Standard streams: what programs display, what the runtime reports, what programs accept.

use std::ffi::{c_char, c_void};

use crate::layout::Field;
use crate::tcb::{self, Tcb};

/// The streams of one private runtime, for as long as the process lives.
pub(super) struct Streams {
    pub(super) input: *mut libc::FILE,
    pub(super) output: *mut libc::FILE,
    pub(super) errors: *mut libc::FILE,
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
    /// They stay open.
    pub(super) fn open() -> &'static Self {
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

/// `cob_accept`: the next line that the host was given; without one the field becomes blank or zero. Without a field, behind
/// STOP with a literal, nobody is waited for.
pub(super) unsafe extern "C" fn accept(field: *mut Field) {
    static TEXT_ATTRIBUTE: crate::argument::ConstantAttribute =
        crate::argument::ConstantAttribute::ALPHANUMERIC;
    let Some(tcb) = tcb::current() else { return };
    if field.is_null() {
        return;
    }
    let line = tcb.console.borrow_mut().input.pop_front();
    let mut text = line.filter(|line| !line.is_empty()).unwrap_or_else(|| " ".to_owned()).into_bytes();
    let mut given = Field { size: text.len(), data: text.as_mut_ptr(), attribute: TEXT_ATTRIBUTE.get() };
    // SAFETY: a field of the program, and one of ours that lives through the call.
    unsafe { (tcb.runtime.move_field)(&raw mut given, field) };
}
