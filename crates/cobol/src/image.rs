//! Program images: which task's memory lies in a program's data segment, and where the others' are kept.
//!
//! A module's writable segment and its `cob_module` are all the state a program has. They hold one task's state at a
//! time. A task that wants a program another living task has in place *displaces* it: the other's bytes are saved,
//! and restored when that task goes on. A task that nobody disturbs pays one comparison.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use smallvec::SmallVec;

use crate::layout::{GLOBAL_SIZE, MODULE_SIZE, Module};
use crate::program::Library;
use crate::runtime::ModuleFree;
use crate::tcb::Tcb;

/// One task's state of one program, out of place: the bytes of its data, and of its modules behind them.
type Image = Vec<u8>;

/// A `cob_module` of a program: the pointer to it in the data segment, and itself.
#[derive(Clone, Copy)]
struct ModuleCell {
    variable: *mut *mut Module,
    module: *mut Module,
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
    module_free: ModuleFree,
}

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
    /// Storage that programs of this level hold from `cob_malloc`: their LOCAL-STORAGE.
    pub allocations: RefCell<Vec<*mut libc::c_void>>,
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
            module_free: tcb.runtime.module_free,
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

    /// At the first DFHEIN: what is in place now is what every fresh task starts with.
    pub fn capture_template(&self) -> bool {
        if self.initialized.replace(true) {
            return false;
        }
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
        true
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        for cell in self.modules.get_mut() {
            // SAFETY: allocated by the runtime, which never unloads; no task has entered the program. Taking it off
            // the runtime's list leaves nothing there that points into the library.
            unsafe { (self.module_free)(&raw mut cell.module) };
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
            allocations: RefCell::default(),
        })
    }

    /// Enters a program: puts a fresh image in place, unless this level has entered it before.
    pub fn enter(&self, slot: &Rc<Slot>) {
        let tcb = &*self.tcb;
        if let Some(entry) = self.entries.borrow().iter().find(|e| Rc::ptr_eq(&e.slot, slot)) {
            return entry.place(tcb);
        }
        slot.displace(tcb);
        slot.load(&slot.template.borrow());
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

    /// Starts the level's program anew with its image kept: no module is active, no call is pending.
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

impl Drop for Level {
    fn drop(&mut self) {
        for allocation in self.allocations.get_mut().drain(..) {
            // SAFETY: allocated by libc for a program that will not run again, and not freed by it.
            unsafe { libc::free(allocation) };
        }
    }
}
