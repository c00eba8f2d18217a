//! A link level: the programs that it has entered, its storage, and the runtime's global state for it.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::{CStr, CString};
use std::rc::{Rc, Weak};

use smallvec::SmallVec;

use super::{Entry, Slot};
use crate::external::{Externals, NoItem};
use crate::layout::{Decimal, GLOBAL_SIZE, Module};
use crate::results::Kept;
use crate::storage::Overlay;
use crate::storage::guarded::Guarded;
use crate::storage::supply::NoStorage;
use crate::tcb::Tcb;

/// Bytes that the programs of a level may hold of LOCAL-STORAGE and EXTERNAL items, and of what they ALLOCATE.
const LEVEL_BYTES_MAX: usize = 64 << 20;

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
    pub(super) allocations: RefCell<Vec<Guarded>>,
    externals: Externals,
    /// The modules of runs of RECURSIVE programs that have not come to their ends.
    modules: RefCell<Vec<*mut Module>>,
    /// The numbers that they calculate with.
    #[expect(clippy::vec_box, reason = "programs have their addresses")]
    numbers: RefCell<Vec<Box<UnsafeCell<Decimal>>>>,
    /// The first overlay of what programs have given back.
    overlaid: Cell<Option<Overlay>>,
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

    pub(super) fn external_address(&self, name: &CString, size: usize) -> Result<usize, NoItem> {
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
