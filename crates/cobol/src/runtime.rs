//! A private libcob: loading, binding its imports to ours, initializing.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::arithmetic::Arithmetic;
use crate::elf;
use crate::error::Error;
use crate::gmp;
use crate::imports::{self, LONG, LONG_COUNT, LongFunction};
use crate::layout::{Decimal, Field, GLOBAL_SIZE, Global, Module};
use crate::results::RESULTS;

/// A shared object of the dynamic loader.
pub struct Handle(*mut c_void);

impl Handle {
    /// Loads a shared object with all its imports, visible to nobody else.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let unloadable = |why: String| Error::Load { path: path.to_owned(), why };
        let name = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| unloadable("a path with a zero byte".to_owned()))?;
        // SAFETY: a terminated path; the constructors of cobc's modules and of libcob do nothing but what libc's do.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(Self(handle));
        }
        // SAFETY: after a failure dlerror gives a terminated string that lives until the next call on this thread.
        let why = unsafe { CStr::from_ptr(libc::dlerror()) };
        Err(unloadable(why.to_string_lossy().into_owned()))
    }

    /// The address of a symbol that the object, or one it depends on, defines.
    pub fn symbol(&self, name: &CStr) -> Option<usize> {
        // SAFETY: an open handle and a terminated name.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) } as usize;
        (address != 0).then_some(address)
    }

    /// Unloads the object.
    ///
    /// # Safety
    /// Nothing refers to its code or data any more.
    pub unsafe fn close(&mut self) {
        // SAFETY: an open handle, closed once.
        unsafe { libc::dlclose(self.0) };
    }
}

type ModuleEnter =
    unsafe extern "C" fn(*mut *mut Module, *mut *mut Global, c_int, c_int, *const u32) -> c_int;
pub type ModuleFree = unsafe extern "C" fn(*mut *mut Module);
type SetException = unsafe extern "C" fn(c_int);
type MoveField = unsafe extern "C" fn(*mut Field, *mut Field);
type TakeField = unsafe extern "C" fn(*mut Field);
type LoadDecimal = unsafe extern "C" fn(*mut Decimal, *mut Field);
type SetDecimal = unsafe extern "C" fn(*mut Decimal, i64);
type StoreDecimal = unsafe extern "C" fn(*mut Decimal, *mut Field, c_int) -> c_int;
type NumberIn = unsafe extern "C" fn(*mut Field) -> i64;
pub type NumberOf = unsafe extern "C" fn(*mut Field) -> *mut Field;
type AmountOf = unsafe extern "C" fn(*mut Field, *mut Field) -> *mut Field;
type CheckSubscript = unsafe extern "C" fn(c_int, c_int, *const c_char, c_int);
type CheckOdo = unsafe extern "C" fn(c_int, c_int, c_int, *const c_char, *const c_char);
type CheckRefMod = unsafe extern "C" fn(*const c_char, c_int, c_int, c_int, c_int, c_int);
type FileMake = unsafe extern "C" fn(*mut *mut c_void, *mut *mut c_void, c_int, c_int);
pub type FileReadNext = unsafe extern "C" fn(*const c_void, usize, *mut Field, c_int);
pub type FileWrite = unsafe extern "C" fn(*const c_void, usize, *mut Field, c_int, *mut Field, c_uint);
type Init = unsafe extern "C" fn(c_int, *mut *mut c_char);
type SimpleFunction = unsafe extern "C" fn() -> *mut Field;
type CompareDigits = unsafe extern "C" fn(*const u8, usize, i64, c_int) -> c_int;
type CompareFields = unsafe extern "C" fn(*mut Field, *mut Field) -> c_int;
type CompareWord = unsafe extern "C" fn(*mut Field, i64) -> c_int;
type GetInt = unsafe extern "C" fn(*mut Field) -> c_int;
type AddInt = unsafe extern "C" fn(*mut Field, c_int, c_int) -> c_int;
type GlobalPointer = unsafe extern "C" fn() -> *mut Global;

/// Changes a field by another one.
pub type ChangeField = unsafe extern "C" fn(*mut Field, *mut Field, c_int);

/// Functions of libcob that do.
pub struct ChangeFields {
    /// `cob_add`.
    pub add: ChangeField,
    /// `cob_sub`.
    pub subtract: ChangeField,
    /// `cob_mul`.
    pub multiply: ChangeField,
    /// `cob_div`.
    pub divide: ChangeField,
}

impl ChangeFields {
    /// # Safety
    /// The functions that are found have the types of libcob's header.
    unsafe fn find(symbol: impl Fn(&CStr) -> Result<usize, Error>) -> Result<Self, Error> {
        // SAFETY: as the caller says.
        let change = |name| unsafe { Ok(std::mem::transmute::<usize, ChangeField>(symbol(name)?)) };
        Ok(Self {
            add: change(c"cob_add")?,
            subtract: change(c"cob_sub")?,
            multiply: change(c"cob_mul")?,
            divide: change(c"cob_div")?,
        })
    }
}

/// Functions of libcob that this crate calls, by their C types.
pub struct Runtime {
    /// The runtime's global structure, once it is initialized.
    global: Cell<*mut Global>,
    /// That structure as a fresh task finds it.
    fresh_global: Cell<[u8; GLOBAL_SIZE]>,
    /// The private name under which modules must ask for this runtime.
    pub name: elf::PrivateName,
    /// Directory of the private copies.
    pub directory: PathBuf,
    /// `cob_module_global_enter`.
    pub module_enter:
        unsafe extern "C" fn(*mut *mut Module, *mut *mut Global, c_int, c_int, *const u32) -> c_int,
    /// `cob_module_free`.
    pub module_free: ModuleFree,
    /// `cob_set_exception`.
    pub set_exception: SetException,
    /// `cob_move`.
    pub move_field: MoveField,
    /// `cob_put_indirect_field`.
    pub take_moved: TakeField,
    /// `cob_get_indirect_field`.
    pub give_moved: TakeField,
    /// `cob_decimal_set_field`.
    pub load_decimal: LoadDecimal,
    /// `cob_decimal_set_llint`.
    pub set_decimal: SetDecimal,
    /// `cob_decimal_get_field`.
    pub store_decimal: StoreDecimal,
    /// What it calculates with.
    pub arithmetic: Arithmetic,
    /// What it adds with, and so on.
    pub change: ChangeFields,
    /// `cob_cmp_numdisp`.
    pub compare_digits: CompareDigits,
    /// `cob_cmp`.
    pub compare_fields: CompareFields,
    /// `cob_cmp_llint`.
    pub compare_word: CompareWord,
    /// `cob_get_int`.
    pub get_int: GetInt,
    /// `cob_add_int`.
    pub add_int: AddInt,
    /// `cob_sub_int`.
    pub subtract_int: AddInt,
    /// `cob_intr_exp`.
    pub exponential: NumberOf,
    /// `cob_intr_exp10`.
    pub power_of_ten: NumberOf,
    /// `cob_intr_factorial`.
    pub factorial: NumberOf,
    /// `cob_intr_abs`.
    pub amount: NumberOf,
    /// `cob_get_llint`.
    pub number_in: NumberIn,
    /// `cob_intr_numval`.
    pub number_of: NumberOf,
    /// `cob_intr_numval_c`.
    pub amount_of: AmountOf,
    /// `cob_check_subscript`.
    pub check_subscript: CheckSubscript,
    /// `cob_check_odo`.
    pub check_odo: CheckOdo,
    /// `cob_check_ref_mod_detailed`.
    pub check_ref_mod: CheckRefMod,
    /// `cob_file_malloc`.
    pub file_make: FileMake,
    /// `cob_extfh_read_next`.
    pub file_read_next: FileReadNext,
    /// `cob_extfh_write`.
    pub file_write: FileWrite,
    /// Where the results of its functions lie.
    results: Cell<(usize, usize)>,
    /// Those that may run long: [`imports::LONG`].
    pub long: [LongFunction; LONG_COUNT],
    /// Where its code lies.
    pub text: (usize, usize),
    init: Init,
    global_pointer: GlobalPointer,
    /// `cob_intr_pi`: the simplest of all functions.
    simple_function: SimpleFunction,
}

/// The versions whose structures `layout` mirrors.
const KNOWN_VERSIONS: &str = "3.1.x";

impl Runtime {
    /// Loads a private copy of the installed library; [`Runtime::initialize`] makes it ready.
    pub fn load(installed: &Path, directory: &Path, number: u32) -> Result<Self, Error> {
        let name = elf::private_name(number);
        let copy = directory.join(format!("libcob-{number}.so"));
        elf::copy_with_name(installed, &copy, &name)?;
        let handle = Handle::open(&copy)?;
        let symbol = |name: &CStr| {
            handle.symbol(name).ok_or_else(|| Error::Unsuitable {
                path: installed.to_owned(),
                why: format!("has no function {}", name.to_string_lossy()),
            })
        };
        let version = symbol(c"libcob_version")?;
        // SAFETY: the functions' types are those of libcob's header; the version tells that it is such a libcob.
        let version = unsafe {
            let version: unsafe extern "C" fn() -> *const c_char = std::mem::transmute(version);
            CStr::from_ptr(version()).to_string_lossy().into_owned()
        };
        if !version.starts_with("3.1.") {
            return Err(Error::Version { found: version, known: KNOWN_VERSIONS });
        }
        let init = symbol(c"cob_init")?;
        let segments = elf::segments(init).ok_or_else(|| Error::Unsuitable {
            path: installed.to_owned(),
            why: "is not where the loader says".to_owned(),
        })?;
        // SAFETY: nothing of the copy has run yet but its constructors; the replacements have the symbols' types.
        let bound = unsafe { segments.bind(&imports::for_runtime())? };
        if bound < imports::RUNTIME_BINDINGS_MIN {
            let why = "calls its own functions in a way that cannot be intercepted".to_owned();
            return Err(Error::Unsuitable { path: installed.to_owned(), why });
        }
        let mut long = [0; LONG_COUNT];
        for (address, name) in long.iter_mut().zip(LONG) {
            *address = symbol(name)?;
        }
        // SAFETY: as above.
        unsafe {
            gmp::make_safe(symbol)?;
            Ok(Self {
                long: long.map(|address| std::mem::transmute::<usize, LongFunction>(address)),
                text: segments.text,
                global: Cell::new(std::ptr::null_mut()),
                fresh_global: Cell::new([0; GLOBAL_SIZE]),
                name,
                directory: directory.to_owned(),
                module_enter: std::mem::transmute::<usize, ModuleEnter>(symbol(c"cob_module_global_enter")?),
                module_free: std::mem::transmute::<usize, ModuleFree>(symbol(c"cob_module_free")?),
                set_exception: std::mem::transmute::<usize, SetException>(symbol(c"cob_set_exception")?),
                move_field: std::mem::transmute::<usize, MoveField>(symbol(c"cob_move")?),
                take_moved: std::mem::transmute::<usize, TakeField>(symbol(c"cob_put_indirect_field")?),
                give_moved: std::mem::transmute::<usize, TakeField>(symbol(c"cob_get_indirect_field")?),
                load_decimal: std::mem::transmute::<usize, LoadDecimal>(symbol(c"cob_decimal_set_field")?),
                set_decimal: std::mem::transmute::<usize, SetDecimal>(symbol(c"cob_decimal_set_llint")?),
                store_decimal: std::mem::transmute::<usize, StoreDecimal>(symbol(c"cob_decimal_get_field")?),
                arithmetic: Arithmetic::find(symbol)?,
                change: ChangeFields::find(symbol)?,
                compare_digits: std::mem::transmute::<usize, CompareDigits>(symbol(c"cob_cmp_numdisp")?),
                compare_fields: std::mem::transmute::<usize, CompareFields>(symbol(c"cob_cmp")?),
                compare_word: std::mem::transmute::<usize, CompareWord>(symbol(c"cob_cmp_llint")?),
                get_int: std::mem::transmute::<usize, GetInt>(symbol(c"cob_get_int")?),
                add_int: std::mem::transmute::<usize, AddInt>(symbol(c"cob_add_int")?),
                subtract_int: std::mem::transmute::<usize, AddInt>(symbol(c"cob_sub_int")?),
                exponential: std::mem::transmute::<usize, NumberOf>(symbol(c"cob_intr_exp")?),
                power_of_ten: std::mem::transmute::<usize, NumberOf>(symbol(c"cob_intr_exp10")?),
                factorial: std::mem::transmute::<usize, NumberOf>(symbol(c"cob_intr_factorial")?),
                amount: std::mem::transmute::<usize, NumberOf>(symbol(c"cob_intr_abs")?),
                number_in: std::mem::transmute::<usize, NumberIn>(symbol(c"cob_get_llint")?),
                number_of: std::mem::transmute::<usize, NumberOf>(symbol(c"cob_intr_numval")?),
                amount_of: std::mem::transmute::<usize, AmountOf>(symbol(c"cob_intr_numval_c")?),
                check_subscript: std::mem::transmute::<usize, CheckSubscript>(symbol(
                    c"cob_check_subscript",
                )?),
                check_odo: std::mem::transmute::<usize, CheckOdo>(symbol(c"cob_check_odo")?),
                check_ref_mod: std::mem::transmute::<usize, CheckRefMod>(symbol(
                    c"cob_check_ref_mod_detailed",
                )?),
                file_make: std::mem::transmute::<usize, FileMake>(symbol(c"cob_file_malloc")?),
                file_read_next: std::mem::transmute::<usize, FileReadNext>(symbol(c"cob_extfh_read_next")?),
                file_write: std::mem::transmute::<usize, FileWrite>(symbol(c"cob_extfh_write")?),
                init: std::mem::transmute::<usize, Init>(init),
                results: Cell::default(),
                simple_function: std::mem::transmute::<usize, SimpleFunction>(symbol(c"cob_intr_pi")?),
                global_pointer: std::mem::transmute::<usize, GlobalPointer>(symbol(c"cob_get_global_ptr")?),
            })
        }
    }

    /// Initializes the runtime: on the thread that will use it.
    pub fn initialize(&self) {
        // SAFETY: called once, before any module; libcob takes no arguments as "no command line".
        unsafe {
            (self.init)(0, std::ptr::null_mut());
            let global = (self.global_pointer)();
            self.global.set(global);
            self.fresh_global.set(global.cast::<[u8; GLOBAL_SIZE]>().read());
            let found = [(); RESULTS].map(|()| (self.simple_function)() as usize);
            let end = found.iter().max().map_or(0, |last| last + size_of::<Field>());
            self.results.set((found.into_iter().min().unwrap_or(end), end));
        }
    }

    /// The runtime's global structure.
    pub fn global(&self) -> *mut Global {
        self.global.get()
    }

    /// The addresses of what its functions return.
    #[inline(always)]
    pub fn results(&self) -> Range<usize> {
        let (start, end) = self.results.get();
        start..end
    }

    /// The global structure as a fresh task finds it.
    pub fn fresh_global(&self) -> [u8; GLOBAL_SIZE] {
        self.fresh_global.get()
    }
}
