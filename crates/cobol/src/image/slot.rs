//! A loaded program: the place in which the state of one task lies at a time, and the state that a fresh task begins with.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use foldhash::HashMap;
use smallvec::SmallVec;

use super::{Entry, Image, Level};
use crate::arithmetic::Arithmetic;
use crate::elf;
use crate::external::{self, Asked, Reference};
use crate::layout::{Decimal, MODULE_SIZE, Module};
use crate::program::Library;
use crate::runtime::ModuleFree;
use crate::storage::guarded::Guarded;
use crate::tcb::Tcb;

/// A `cob_module` of a program: the pointer to it in the data segment, and itself.
#[derive(Clone, Copy)]
pub(super) struct ModuleCell {
    variable: *mut *mut Module,
    pub(super) module: *mut Module,
}

/// What the runtime has allocated to describe a file.
struct File {
    /// The pointer to it in the data segment.
    variable: usize,
    address: *mut libc::c_void,
    /// Its bytes as a fresh task finds them.
    fresh: Vec<u8>,
}

/// A loaded program: one place for the state of many tasks.
pub struct Slot {
    /// The program's name.
    pub name: String,
    /// Its entry.
    pub entry: usize,
    /// The shared object behind it.
    pub library: Library,
    pub(super) modules: RefCell<SmallVec<[ModuleCell; 1]>>,
    /// A fresh task's state: after loading as the file has it, after the first DFHEIN with VALUE clauses applied.
    pub(super) template: RefCell<Image>,
    initialized: Cell<bool>,
    pub(super) occupant: RefCell<Weak<Entry>>,
    pub(super) visit: Cell<u64>,
    /// Buffers of ended displacements.
    pub(super) spare: RefCell<Vec<Image>>,
    /// The numbers of its literals, by their places in its data: made once, changed by nobody. Their digits lie on the
    /// heap, and every image points to the same ones.
    constants: RefCell<HashMap<usize, Decimal>>,
    /// The runtime's descriptions of its files, in memory that the template points to, by the variables that do.
    files: RefCell<Vec<File>>,
    /// The EXTERNAL items that it asked for when it initialized itself, and where the template has their addresses.
    externals: RefCell<Vec<Asked>>,
    references: RefCell<Vec<Reference>>,
    /// Storage that the template points to.
    kept: RefCell<Vec<Guarded>>,
    module_free: ModuleFree,
    clear_constant: unsafe extern "C" fn(*mut Decimal),
}

impl Slot {
    /// A program just loaded.
    pub fn new(name: String, entry: usize, library: Library, tcb: &Tcb) -> Self {
        let slot = Self {
            name,
            entry,
            library,
            modules: RefCell::default(),
            template: RefCell::default(),
            initialized: Cell::new(false),
            occupant: RefCell::default(),
            visit: Cell::new(0),
            spare: RefCell::default(),
            constants: RefCell::default(),
            files: RefCell::default(),
            externals: RefCell::default(),
            references: RefCell::default(),
            kept: RefCell::default(),
            module_free: tcb.runtime.module_free,
            clear_constant: tcb.runtime.arithmetic.clear,
        };
        slot.save(&mut slot.template.borrow_mut());
        slot
    }

    /// Whether an address lies in the program's data.
    pub fn data_contains(&self, address: usize) -> bool {
        let (start, end) = self.library.segments.data;
        (start..end).contains(&address)
    }

    /// Bytes of one task's image.
    pub fn image_size(&self) -> usize {
        let (start, end) = self.library.segments.data;
        end - start + self.modules.borrow().len() * MODULE_SIZE
    }

    pub(super) fn is_occupied_by(&self, entry: &Rc<Entry>) -> bool {
        std::ptr::eq(self.occupant.borrow().as_ptr(), Rc::as_ptr(entry))
    }

    fn save(&self, into: &mut Image) {
        let (start, end) = self.library.segments.data;
        into.clear();
        // SAFETY: the segment stays mapped and writable while the library is loaded, and only this thread runs its
        // code, which does not run now.
        into.extend_from_slice(unsafe { std::slice::from_raw_parts(start as *const u8, end - start) });
        for cell in self.modules.borrow().iter() {
            // SAFETY: the runtime allocated MODULE_SIZE bytes and keeps them for the library's life.
            into.extend_from_slice(unsafe { std::slice::from_raw_parts(cell.module.cast(), MODULE_SIZE) });
        }
    }

    pub(super) fn load(&self, image: &Image) {
        let (start, end) = self.library.segments.data;
        let (data, mut modules) = image.split_at(end - start);
        // SAFETY: as in `save`.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), start as *mut u8, data.len()) };
        for cell in self.modules.borrow().iter() {
            // An older image may have fewer of them.
            let Some((bytes, others)) = modules.split_first_chunk::<MODULE_SIZE>() else { break };
            // SAFETY: as in `save`.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), cell.module.cast(), MODULE_SIZE) };
            modules = others;
        }
    }

    /// Saves the occupant, if it lives.
    pub(super) fn displace(&self, tcb: &Tcb) {
        let Some(occupant) = self.occupant.borrow().upgrade() else { return };
        let mut image = self.spare.borrow_mut().pop().unwrap_or_default();
        self.save(&mut image);
        *occupant.saved.borrow_mut() = Some(image);
        tcb.placed.set(std::ptr::null());
    }

    /// Makes a literal's number, or gives the one that was made before.
    ///
    /// # Safety
    /// The place is a decimal of this program.
    pub unsafe fn make_constant(&self, place: *mut Decimal, arithmetic: &Arithmetic) {
        let made = self.constants.borrow().get(&(place as usize)).map(std::ptr::from_ref);
        // SAFETY: the caller says so. Both have the same digits, which are given back with the program alone; no other
        // number is made in between.
        unsafe {
            if let Some(made) = made {
                return place.copy_from_nonoverlapping(made, 1);
            }
            (arithmetic.init)(place);
            self.constants.borrow_mut().insert(place as usize, place.read());
        }
    }

    /// What describes a file, made before for this variable: all zeros again.
    pub fn file(&self, variable: usize) -> Option<*mut libc::c_void> {
        let files = self.files.borrow();
        let file = files.iter().find(|file| file.variable == variable)?;
        // SAFETY: the runtime allocated so many bytes and keeps them.
        unsafe { libc::memset(file.address, 0, file.fresh.len()) };
        Some(file.address)
    }

    /// Takes note of what the runtime has allocated for a file.
    ///
    /// # Safety
    /// It comes from malloc and stays.
    pub unsafe fn add_file(&self, variable: usize, address: *mut libc::c_void) {
        // SAFETY: as the caller says.
        let fresh = vec![0; unsafe { libc::malloc_usable_size(address) }];
        self.files.borrow_mut().push(File { variable, address, fresh });
    }

    /// Remembers how a fresh task finds its files.
    fn capture_files(&self) {
        for file in self.files.borrow_mut().iter_mut() {
            let into = file.fresh.as_mut_ptr().cast();
            // SAFETY: as many bytes as the runtime allocated.
            unsafe { libc::memcpy(into, file.address, file.fresh.len()) };
        }
    }

    /// Makes its files as a fresh task finds them.
    pub(super) fn renew_files(&self) {
        for file in self.files.borrow().iter() {
            // SAFETY: as many bytes as the runtime allocated.
            unsafe { libc::memcpy(file.address, file.fresh.as_ptr().cast(), file.fresh.len()) };
        }
    }

    /// Takes note of a `cob_module` before the runtime enters it; a known one is put back where an older image had
    /// none, so that the runtime does not allocate another.
    ///
    /// # Safety
    /// `variable` is a module pointer of this program.
    pub unsafe fn before_enter(&self, variable: *mut *mut Module) {
        let known = self.modules.borrow().iter().find(|c| c.variable == variable).map(|c| c.module);
        if let Some(known) = known {
            // SAFETY: the caller says so.
            unsafe {
                if (*variable).is_null() {
                    *variable = known;
                }
            }
        }
    }

    /// Takes note of the `cob_module` that the runtime may have allocated.
    ///
    /// # Safety
    /// `variable` is a module pointer of this program, after the runtime entered it.
    pub unsafe fn after_enter(&self, variable: *mut *mut Module) {
        let mut modules = self.modules.borrow_mut();
        if !modules.iter().any(|c| c.variable == variable) {
            // SAFETY: the caller says so.
            modules.push(ModuleCell { variable, module: unsafe { *variable } });
        }
    }

    /// The program asks for an EXTERNAL item, and was given this address.
    pub fn asks_for(&self, item: Asked) {
        // Later on it is the level that asks, for each fresh image.
        if !self.initialized.get() {
            self.externals.borrow_mut().push(item);
        }
    }

    /// At the first DFHEIN: what is in place now is what every fresh task starts with. What of the level's storage it
    /// points to stays as long as the program.
    pub fn capture_template(&self, level: &Level) {
        if self.initialized.replace(true) {
            return;
        }
        self.capture_files();
        let mut template = self.template.borrow_mut();
        self.save(&mut template);
        let (start, end) = self.library.segments.data;
        for bytes in template[end - start..].as_chunks_mut::<MODULE_SIZE>().0 {
            const ACTIVE: usize = std::mem::offset_of!(Module, active);
            const PARAMETERS: usize = std::mem::offset_of!(Module, parameters);
            bytes[..size_of::<*mut Module>()].fill(0);
            bytes[PARAMETERS..PARAMETERS + size_of::<usize>()].fill(0);
            bytes[ACTIVE..ACTIVE + size_of::<u32>()].fill(0);
        }
        let data = &template[..end - start];
        *self.references.borrow_mut() = external::references(data, &self.externals.borrow());
        let points_to = |block: &mut Guarded| {
            data.as_chunks().0.iter().any(|word| usize::from_ne_bytes(*word) == block.address())
        };
        self.kept.borrow_mut().extend(level.allocations.borrow_mut().extract_if(.., points_to));
    }

    /// Whether the template points to storage at this address.
    pub fn keeps(&self, address: usize) -> bool {
        self.kept.borrow().iter().any(|block| block.address() == address)
    }

    /// What in the template points to the heap beside modules, literals' digits, files, and storage that is each level's
    /// own: what a run changes there, another would see.
    pub fn stray_pointers(&self) -> Vec<usize> {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let heap: Vec<_> = maps.lines().filter_map(elf::heap).collect();
        let modules: Vec<_> = self.modules.borrow().iter().map(|cell| cell.module as usize).collect();
        let digits: Vec<_> = self.constants.borrow().values().map(Decimal::digits).collect();
        let files: Vec<_> = self.files.borrow().iter().map(|file| file.address as usize).collect();
        let storage: Vec<_> = self.kept.borrow().iter().map(Guarded::address).collect();
        let known = [modules, digits, files, storage].concat();
        let is_stray = |word: &usize| {
            !self.data_contains(*word)
                && !known.contains(word)
                && heap.iter().any(|range| range.contains(word))
        };
        self.template
            .borrow()
            .as_chunks()
            .0
            .iter()
            .map(|word| usize::from_ne_bytes(*word))
            .filter(is_stray)
            .collect()
    }

    /// Gives a fresh image the addresses of its level's own EXTERNAL items.
    pub(super) fn bind_externals(&self, level: &Level) {
        let asked = self.externals.borrow();
        for reference in self.references.borrow().iter() {
            let item = &asked[reference.item];
            // Without one it keeps the address of an item that is gone: to touch it is a fault.
            if let Ok(address) = level.external_address(&item.name, item.size) {
                let place = self.library.segments.data.0 + reference.at;
                // SAFETY: within the data, as in `load`, where the template has an address of this item.
                unsafe { (place as *mut usize).write(address + reference.within) };
            }
        }
    }

    /// Why the level cannot have one of the program's EXTERNAL items, if so.
    pub fn lacks_external(&self, level: &Level) -> Option<String> {
        let asked = self.externals.borrow();
        asked.iter().find_map(|item| {
            let why = level.external_address(&item.name, item.size).err()?;
            Some(why.message(&item.name, item.size))
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        for cell in self.modules.get_mut() {
            // SAFETY: allocated by the runtime, which never unloads; no task has entered the program. Taking it off
            // the runtime's list leaves nothing there that points into the library.
            unsafe { (self.module_free)(&raw mut cell.module) };
        }
        for constant in self.constants.get_mut().values_mut() {
            // SAFETY: made by the runtime for this program alone.
            unsafe { (self.clear_constant)(constant) };
        }
    }
}
