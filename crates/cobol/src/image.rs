//! Program images: which task's memory lies in a program's data segment, and where the others' are kept.
//!
//! A module's writable segment and its `cob_module` are all the state a program has. They hold one task's state at a
//! time. A task that wants a program another living task has in place *displaces* it: the other's bytes are saved,
//! and restored when that task goes on. A task that nobody disturbs pays one comparison.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::{CStr, CString};
use std::rc::{Rc, Weak};

use foldhash::HashMap;
use smallvec::SmallVec;

use crate::arithmetic::Arithmetic;
use crate::elf;
use crate::external::{self, Asked, Externals, NoItem, Reference};
use crate::layout::{Decimal, GLOBAL_SIZE, MODULE_SIZE, Module};
use crate::program::Library;
use crate::results::Kept;
use crate::runtime::ModuleFree;
use crate::storage::Overlay;
use crate::storage::guarded::Guarded;
use crate::storage::supply::NoStorage;
use crate::tcb::Tcb;

/// One task's state of one program, out of place: the bytes of its data, and of its modules behind them.
type Image = Vec<u8>;

/// A `cob_module` of a program: the pointer to it in the data segment, and itself.
#[derive(Clone, Copy)]
struct ModuleCell {
    variable: *mut *mut Module,
    module: *mut Module,
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
    modules: RefCell<SmallVec<[ModuleCell; 1]>>,
    /// A fresh task's state: after loading as the file has it, after the first DFHEIN with VALUE clauses applied.
    template: RefCell<Image>,
    initialized: Cell<bool>,
    occupant: RefCell<Weak<Entry>>,
    visit: Cell<u64>,
    /// Buffers of ended displacements.
    spare: RefCell<Vec<Image>>,
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

/// Bytes that the programs of a level may hold of LOCAL-STORAGE and EXTERNAL items, and of what they ALLOCATE.
const LEVEL_BYTES_MAX: usize = 64 << 20;

/// Buffers that a program keeps for the next displacements.
const SPARE_MAX: usize = 8;

/// A program entered by a link level.
pub struct Entry {
    slot: Rc<Slot>,
    saved: RefCell<Option<Image>>,
}

/// A link level of a task: what it entered and the runtime's state for it.
pub struct Level {
    this: Weak<Self>,
    tcb: Rc<Tcb>,
    /// The level that linked to this one.
    pub parent: Option<Rc<Level>>,
    entries: RefCell<SmallVec<[Rc<Entry>; 4]>>,
    /// First byte and length of the data of the program that was entered first: where nearly all arguments lie.
    home: Cell<(usize, usize)>,
    /// The runtime's global structure while another level's is in place.
    global: RefCell<[u8; GLOBAL_SIZE]>,
    /// Address of the EIB.
    pub eib: usize,
    /// What the next DFHEIN returns.
    pub label: Cell<i32>,
    /// The answer to the program that the level asked for.
    pub answer: RefCell<Option<Rc<Slot>>>,
    /// The control blocks of the files that its programs have used.
    pub files: RefCell<Vec<usize>>,
    /// What functions have returned to its CALLs.
    pub results: Kept,
    /// Where FUNCTION RANDOM stands in its sequence.
    pub random: Cell<u32>,
    /// The switches that programs have set to on, a bit each.
    pub switches: Cell<u64>,
    /// Storage that programs of this level have got: their LOCAL-STORAGE, and what they ALLOCATE.
    allocations: RefCell<Vec<Guarded>>,
    externals: Externals,
    /// The modules of runs of RECURSIVE programs that have not come to their ends.
    modules: RefCell<Vec<*mut Module>>,
    /// The numbers that they calculate with.
    #[expect(clippy::vec_box, reason = "programs have their addresses")]
    numbers: RefCell<Vec<Box<UnsafeCell<Decimal>>>>,
    /// The first overlay of what programs have given back.
    overlaid: Cell<Option<Overlay>>,
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

    fn is_occupied_by(&self, entry: &Rc<Entry>) -> bool {
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

    fn load(&self, image: &Image) {
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
    fn displace(&self, tcb: &Tcb) {
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
    fn renew_files(&self) {
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
    fn bind_externals(&self, level: &Level) {
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

impl Level {
    /// A level that has entered nothing yet.
    pub fn new(parent: Option<Rc<Self>>, eib: usize, tcb: &Rc<Tcb>) -> Rc<Self> {
        // The level that was in place may be gone, and this one at its address.
        tcb.placed.set(std::ptr::null());
        Rc::new_cyclic(|this| Self {
            this: this.clone(),
            tcb: Rc::clone(tcb),
            parent,
            entries: RefCell::default(),
            home: Cell::default(),
            global: RefCell::new(tcb.runtime.fresh_global()),
            eib,
            label: Cell::new(0),
            answer: RefCell::default(),
            files: RefCell::default(),
            results: Kept::default(),
            random: Cell::new(0),
            switches: Cell::new(0),
            allocations: RefCell::default(),
            externals: Externals::default(),
            modules: RefCell::default(),
            numbers: RefCell::default(),
            overlaid: Cell::default(),
        })
    }

    /// Storage for a program, until it gives it back or the level ends: its address.
    pub fn allocate(&self, size: usize) -> Result<usize, NoStorage> {
        let block = self.block(size)?;
        let address = block.address();
        self.allocations.borrow_mut().push(block);
        Ok(address)
    }

    /// A block, as far as the level has not too much already.
    fn block(&self, size: usize) -> Result<Guarded, NoStorage> {
        let allocated: usize = self.allocations.borrow().iter().map(Guarded::size).sum();
        let has = allocated + self.externals.bytes();
        if has.saturating_add(size) > LEVEL_BYTES_MAX {
            return Err(NoStorage::LevelFull);
        }
        Guarded::new(size, self.tcb.supply.get())
    }

    /// The storage that a program of the level got first: the LOCAL-STORAGE of the program that it began with.
    pub fn first_allocation(&self) -> Option<usize> {
        self.allocations.borrow().first().map(Guarded::address)
    }

    /// Takes storage back; false if the level's programs have none at this address.
    pub fn release(&self, address: usize) -> bool {
        let mut allocations = self.allocations.borrow_mut();
        let Some(at) = allocations.iter().rposition(|block| block.address() == address) else { return false };
        if let Some(overlay) = allocations.swap_remove(at).overlay() {
            self.overlaid.set(self.overlaid.get().or(Some(overlay)));
        }
        true
    }

    /// Takes note of the module that the runtime has made for a run of a RECURSIVE program.
    pub fn add_module(&self, module: *mut Module) {
        self.modules.borrow_mut().push(module);
    }

    /// The run has come to its end.
    pub fn forget_module(&self, module: *mut Module) {
        self.modules.borrow_mut().retain(|known| *known != module);
    }

    /// A number for a run of a RECURSIVE program.
    pub fn lend_number(&self) -> *mut Decimal {
        let number = Box::new(UnsafeCell::new(Decimal::RAW));
        let place = number.get();
        // SAFETY: room for a decimal.
        unsafe { (self.tcb.runtime.arithmetic.init)(place) };
        self.numbers.borrow_mut().push(number);
        place
    }

    /// The run gives a number back.
    pub fn take_number(&self, place: *mut Decimal) {
        let mut numbers = self.numbers.borrow_mut();
        if let Some(at) = numbers.iter().rposition(|number| number.get() == place) {
            self.clear_number(&numbers.swap_remove(at));
        }
    }

    fn clear_number(&self, number: &UnsafeCell<Decimal>) {
        // SAFETY: made by the runtime, for a run that is over.
        unsafe { (self.tcb.runtime.arithmetic.clear)(number.get()) };
    }

    /// An EXTERNAL item of the level: its address, or why there is none.
    pub fn external(&self, name: &CStr, size: usize) -> Result<usize, String> {
        let name = name.to_owned();
        self.external_address(&name, size).map_err(|why| why.message(&name, size))
    }

    fn external_address(&self, name: &CString, size: usize) -> Result<usize, NoItem> {
        self.externals.address(name, size, |size| self.block(size))
    }

    /// A check zone of the level's storage that was written over.
    pub fn overlay(&self) -> Option<Overlay> {
        let held = || self.allocations.borrow().iter().find_map(Guarded::overlay);
        self.overlaid.get().or_else(held).or_else(|| self.externals.overlay())
    }

    /// Enters a program: puts a fresh image in place, unless this level has entered it before.
    pub fn enter(&self, slot: &Rc<Slot>) {
        let tcb = &*self.tcb;
        if let Some(entry) = self.entries.borrow().iter().find(|e| Rc::ptr_eq(&e.slot, slot)) {
            return entry.place(tcb);
        }
        slot.displace(tcb);
        slot.load(&slot.template.borrow());
        slot.renew_files();
        slot.bind_externals(self);
        let entry = Rc::new(Entry { slot: Rc::clone(slot), saved: RefCell::new(None) });
        *slot.occupant.borrow_mut() = Rc::downgrade(&entry);
        let mut entries = self.entries.borrow_mut();
        if entries.is_empty() {
            let (start, end) = slot.library.segments.data;
            self.home.set((start, end - start));
        }
        entries.push(entry);
    }

    /// Its TCB.
    #[inline(always)]
    pub fn tcb(&self) -> &Tcb {
        &self.tcb
    }

    /// Whether so many bytes lie in the data of the level's first program: storage that needs no trying, as long as
    /// the level is in place.
    #[inline(always)]
    pub fn is_home(&self, address: usize, length: usize) -> bool {
        let (start, size) = self.home.get();
        // Below the start the difference wraps round and is beyond any size.
        length <= size && address.wrapping_sub(start) <= size - length
    }

    /// The entered program whose data contains an address.
    pub fn entered_at(&self, address: usize) -> Option<*const Slot> {
        let entries = self.entries.borrow();
        entries.iter().find(|e| e.slot.data_contains(address)).map(|e| Rc::as_ptr(&e.slot))
    }

    /// The entry address of a program that the level has entered, with its image in place.
    pub fn entered(&self, name: &str) -> Option<usize> {
        let entries = self.entries.borrow();
        let entry = entries.iter().find(|e| e.slot.name == name)?;
        entry.place(&self.tcb);
        Some(entry.slot.entry)
    }

    /// The programs that the level has entered, the first one first.
    pub fn slots(&self) -> Vec<Rc<Slot>> {
        self.entries.borrow().iter().map(|entry| Rc::clone(&entry.slot)).collect()
    }

    /// Forgets a program: the next CALL finds it fresh.
    pub fn cancel(&self, name: &str) {
        self.entries.borrow_mut().retain(|e| e.slot.name != name);
        // Without its entry nothing keeps the program loaded.
        self.home.set((0, 0));
    }

    /// Whether the level, or one that linked to it, has entered a program.
    pub fn has_entered(&self, slot: &Rc<Slot>) -> bool {
        self.entries.borrow().iter().any(|e| Rc::ptr_eq(&e.slot, slot))
            || self.parent.as_ref().is_some_and(|p| p.has_entered(slot))
    }

    /// Puts everything in place that the level and those that linked to it have: before its code or the region
    /// touches its memory.
    #[inline(always)]
    pub fn place(&self) {
        if !std::ptr::eq(self.tcb.placed.get(), self) {
            self.place_all();
        }
    }

    #[cold]
    #[inline(never)]
    fn place_all(&self) {
        let tcb = &*self.tcb;
        let visit = tcb.visit.get() + 1;
        tcb.visit.set(visit);
        let mut level = Some(self);
        while let Some(this) = level {
            for entry in this.entries.borrow().iter() {
                // A program that a task has entered at two levels belongs to the later one.
                if entry.slot.visit.replace(visit) != visit {
                    entry.place(tcb);
                }
            }
            level = this.parent.as_deref();
        }
        if !std::ptr::eq(tcb.global_owner.borrow().as_ptr(), self) {
            let place = tcb.runtime.global().cast::<[u8; GLOBAL_SIZE]>();
            if let Some(owner) = tcb.global_owner.borrow().upgrade() {
                // SAFETY: the runtime's global structure has this size and lives as long as the runtime.
                *owner.global.borrow_mut() = unsafe { place.read() };
            }
            // SAFETY: as above; no code of the runtime runs now.
            unsafe { place.write(*self.global.borrow()) };
            *tcb.global_owner.borrow_mut() = self.this.clone();
        }
        tcb.placed.set(self);
    }

    /// Starts the level's program again with its image kept: no module is active, no call is pending.
    pub fn rewind(&self) {
        // SAFETY: the level is in place, and none of its code runs.
        unsafe {
            (*self.tcb.runtime.global()).current_module = std::ptr::null_mut();
            for entry in self.entries.borrow().iter() {
                for cell in entry.slot.modules.borrow().iter() {
                    (*cell.module).active = 0;
                    (*cell.module).next = std::ptr::null_mut();
                }
            }
        }
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        for module in self.modules.get_mut() {
            // SAFETY: allocated by the runtime for a run that is left for good.
            unsafe { (self.tcb.runtime.module_free)(module) };
        }
        self.numbers.borrow().iter().for_each(|number| self.clear_number(number));
    }
}

impl Entry {
    fn place(self: &Rc<Self>, tcb: &Tcb) {
        if self.slot.is_occupied_by(self) {
            return;
        }
        self.slot.displace(tcb);
        if let Some(image) = self.saved.borrow_mut().take() {
            self.slot.load(&image);
            let mut spare = self.slot.spare.borrow_mut();
            if spare.len() < SPARE_MAX {
                spare.push(image);
            }
        }
        *self.slot.occupant.borrow_mut() = Rc::downgrade(self);
    }
}
