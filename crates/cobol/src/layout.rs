//! The structures of libcob that this crate looks into, as its header `libcob/common.h` declares them.
//!
//! Mirrors of the public interface of GnuCOBOL 3.1; `tests/layout.rs` compares them with the installed header.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `cob_field_attr`.
#[repr(C)]
pub struct Attribute {
    pub kind: u16,
    pub digits: u16,
    pub scale: i16,
    pub flags: u16,
    pub picture: *const c_void,
}

/// `cob_field`.
#[repr(C)]
pub struct Field {
    pub size: usize,
    pub data: *mut u8,
    pub attribute: *const Attribute,
}

impl Field {
    /// No field at all.
    pub const NONE: Self = Self { size: 0, data: std::ptr::null_mut(), attribute: std::ptr::null() };
}

/// The head of `cob_module`: members beyond it are swapped with it but never looked at.
#[repr(C)]
pub struct Module {
    pub next: *mut Module,
    pub parameters: *mut *mut Field,
    pub name: *const c_char,
    pub formatted_date: *const c_char,
    pub source: *const c_char,
    pub entry: *const c_void,
    pub cancel: *const c_void,
    pub collating_sequence: *const c_void,
    pub crt_status: *const c_void,
    pub cursor_position: *const c_void,
    pub reference_count: *mut c_uint,
    pub path: *mut *const c_char,
    pub active: c_uint,
    pub date: c_uint,
    pub time: c_uint,
    pub kind: c_uint,
    pub parameter_count: c_uint,
    pub returning: c_uint,
    pub arguments: c_int,
    flags: [u8; 16],
    pub statement: c_uint,
    pub sources: *const *const c_char,
}

/// How [`Module::statement`] is made up: the line, and above it the place in [`Module::sources`].
pub const STATEMENT_LINE_BITS: u32 = 20;

/// Bytes of `cob_module` as GnuCOBOL 3.1 allocates it.
pub const MODULE_SIZE: usize = 240;

/// The head of `cob_global`.
#[repr(C)]
pub struct Global {
    pub error_file: *mut c_void,
    pub current_module: *mut Module,
    pub exception_names: [*const c_char; 4],
    pub main_name: *const c_char,
    pub locales: [*mut c_char; 8],
    pub exception_code: c_int,
    pub call_params: c_int,
}

/// Bytes of `cob_global`.
pub const GLOBAL_SIZE: usize = 184;

/// `struct cob_call_struct`: a program contained in another.
#[repr(C)]
pub struct Contained {
    pub name: *const c_char,
    pub entry: *const c_void,
    pub cancel: *const c_void,
}

/// Values of [`Attribute::kind`].
pub mod kind {
    /// The bits that say whether a kind is [`NUMERIC`].
    pub const NUMBERS: u16 = 0xf0;
    pub const NUMERIC: u16 = 0x10;
    pub const GROUP: u16 = 0x01;
    pub const DISPLAY: u16 = 0x10;
    pub const BINARY: u16 = 0x11;
    pub const PACKED: u16 = 0x12;
    pub const FLOAT: u16 = 0x13;
    pub const DOUBLE: u16 = 0x14;
    pub const COMP5: u16 = 0x1b;
    pub const ALPHANUMERIC: u16 = 0x21;
    pub const NUMERIC_EDITED: u16 = 0x24;
    pub const NATIONAL: u16 = 0x40;
    pub const NATIONAL_EDITED: u16 = 0x41;
}

/// Bits of [`Attribute::flags`].
pub mod flag {
    pub const SIGNED: u16 = 1 << 0;
    pub const SIGN_SEPARATE: u16 = 1 << 1;
    pub const SIGN_LEADING: u16 = 1 << 2;
    pub const BINARY_SWAP: u16 = 1 << 5;
    pub const REAL_BINARY: u16 = 1 << 6;
    pub const POINTER: u16 = 1 << 7;
    pub const NO_SIGN_NIBBLE: u16 = 1 << 8;
    pub const BINARY_TRUNCATED: u16 = 1 << 11;
    pub const CONSTANT: u16 = 1 << 12;
}

/// The scale of a `cob_decimal` that no number stands for: the result of a division by zero.
pub const DECIMAL_NAN: c_int = -32768;

/// `cob_decimal`: a number of GMP, and where its decimal point stands.
#[repr(C)]
pub struct Decimal {
    allocated: c_int,
    /// How many words the number has; negative if it is.
    words: c_int,
    first_word: *mut u64,
    pub scale: c_int,
}

impl Decimal {
    /// What the runtime has to initialize.
    pub const RAW: Self = Self { allocated: 0, words: 0, first_word: std::ptr::null_mut(), scale: 0 };

    /// The number without its decimal point, if it is a word.
    ///
    /// # Safety
    /// A decimal of the runtime, or of a program.
    #[inline(always)]
    pub unsafe fn word(&self) -> Option<i64> {
        let word = match self.words {
            0 => 0,
            // SAFETY: it has one word.
            1 | -1 => unsafe { *self.first_word },
            _ => return None,
        };
        i64::try_from(word).ok().map(|word| word * i64::from(self.words))
    }

    /// Where its digits lie.
    pub fn digits(&self) -> usize {
        self.first_word as usize
    }

    /// Makes it this number, if it has room for a word; whether it had. Its decimal point stays.
    ///
    /// # Safety
    /// A decimal of the runtime, or of a program.
    #[inline(always)]
    pub unsafe fn set_word(&mut self, number: i64) -> bool {
        let room = self.allocated > 0;
        if room {
            // SAFETY: it has a word.
            unsafe { *self.first_word = number.unsigned_abs() };
            self.words = number.signum() as c_int;
        }
        room
    }

    /// Whether it is a number.
    #[inline(always)]
    pub fn is_number(&self) -> bool {
        self.scale != DECIMAL_NAN
    }
}

/// `COB_STORE_ROUND`: the result is ROUNDED.
pub const STORE_ROUNDED: c_int = 1 << 0;

/// `COB_STORE_KEEP_ON_OVERFLOW`: the statement has ON SIZE ERROR.
pub const STORE_KEEP_ON_OVERFLOW: c_int = 1 << 1;

/// Classes of exceptions: the high bytes of `cob_exception_code`.
pub mod exception {
    use std::ffi::c_int;

    pub const CLASS: c_int = 0xff00;
    pub const BOUND: c_int = 0x0200;
    pub const DATA: c_int = 0x0300;
    pub const SIZE: c_int = 0x1000;
}

/// `COB_EC_PROGRAM_NOT_FOUND`: the exception of a CALL that finds nothing.
pub const EXCEPTION_PROGRAM_NOT_FOUND: c_int = 0x74;

/// The sizes and offsets that the host relies on, in the words of libcob's header.
pub fn summary() -> String {
    use std::fmt::Write;
    use std::mem::offset_of;

    let facts = [
        ("cob_module", MODULE_SIZE),
        ("cob_global", GLOBAL_SIZE),
        ("cob_field", size_of::<Field>()),
        ("cob_field_attr", size_of::<Attribute>()),
        ("cob_module.next", offset_of!(Module, next)),
        ("cob_module.cob_procedure_params", offset_of!(Module, parameters)),
        ("cob_module.module_active", offset_of!(Module, active)),
        ("cob_module.module_num_params", offset_of!(Module, arguments)),
        ("cob_module.module_stmt", offset_of!(Module, statement)),
        ("cob_module.module_sources", offset_of!(Module, sources)),
        ("cob_global.cob_current_module", offset_of!(Global, current_module)),
        ("cob_global.cob_exception_code", offset_of!(Global, exception_code)),
        ("cob_global.cob_call_params", offset_of!(Global, call_params)),
        ("cob_field.data", offset_of!(Field, data)),
        ("cob_field.attr", offset_of!(Field, attribute)),
        ("cob_field_attr.flags", offset_of!(Attribute, flags)),
        ("cob_decimal.scale", offset_of!(Decimal, scale)),
    ];
    facts.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name} {value}");
        text
    })
}
