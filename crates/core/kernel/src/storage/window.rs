//! The window of a task: the storage that its programs see, and that no other task sees.
//!
//! An address in it is an offset, and means nothing in another task's. Areas that the region keeps for the task (GETMAIN,
//! SET, the COMMAREA) have a part of the window: the program works there, and commands are given the area's own address. What tasks
//! share lies in the region's [`Arena`], at addresses above all windows, and is worked on where it is.
//! Out of scope: code, and the meaning of a command.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use areas::Area;
use cobol_ir::program::Template;
use cobol_run::{ProgramFault, SHARED};
use smallvec::SmallVec;

use super::{Arena, StorageAddress, TaskStorage};
use crate::limits::{SPARE_WINDOW_BYTES_MAX, WINDOW_BYTES_MAX};
use crate::storage;

/// Alignment of every part.
const ALIGNMENT: usize = 8;

/// Windows end below what tasks share.
const _: () = assert!(WINDOW_BYTES_MAX + native::BEYOND + PAGE < SHARED as usize);

/// Bytes of the part that so many lie in.
fn rounded(length: usize) -> usize {
    length.max(1).next_multiple_of(ALIGNMENT)
}

/// A part of the window that stands for an area of the region.
#[derive(Clone, Debug)]
struct Shared {
    at: u32,
    length: usize,
    area: StorageAddress,
    kind: Kind,
}

/// Kinds of areas that a part stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The level's interface block or COMMAREA: it sees to them.
    Lent,
    /// The TWA.
    Twa,
}

/// A COMMAREA that no program has named: it gets its part of the window when one does.
#[derive(Clone, Copy, Debug)]
struct Unseen {
    area: StorageAddress,
    length: usize,
    /// Bytes of its part, which its program may declare to be more.
    room: usize,
}

/// Parts that stand for storage of the task (GETMAIN, SET), which FREEMAIN takes away. A task may have many of them.
#[derive(Debug, Default)]
struct Got {
    by_area: BTreeMap<StorageAddress, (u32, usize)>,
    by_part: BTreeMap<u32, StorageAddress>,
}

impl Got {
    fn add(&mut self, area: StorageAddress, at: u32, length: usize) {
        self.by_area.insert(area, (at, length));
        self.by_part.insert(at, area);
    }

    fn remove(&mut self, area: StorageAddress) -> Option<(u32, usize)> {
        let (at, length) = self.by_area.remove(&area)?;
        self.by_part.remove(&at);
        Some((at, length))
    }

    /// The address of a place in a part.
    fn place_of(&self, at: u32) -> Option<StorageAddress> {
        let (part, area) = self.by_part.range(..=at).next_back()?;
        let (behind, (_, length)) = ((at - part) as usize, self.by_area.get(area)?);
        (behind < *length).then(|| area.behind(behind))?
    }

    /// The place in the window of an address of an area.
    fn within(&self, address: StorageAddress) -> Option<u32> {
        let (area, (at, length)) = self.by_area.range(..=address).next_back()?;
        let behind = address.distance_from(*area)?;
        (behind < *length).then(|| at + behind as u32)
    }
}

/// The owners of areas that a task's programs may get.
pub struct Owners<'t> {
    pub storage: &'t TaskStorage,
    pub twa: &'t Area,
}

/// Parts that a level lends: its interface block and its COMMAREA.
const LENT: usize = 2;

/// Unit of a window's size: memory comes in pages, so less would save nothing.
const PAGE: usize = 4 << 10;

/// The window.
pub struct Window {
    /// Its bytes.
    pub storage: cobol_run::Task,
    /// Parts that were given back, in the order of their addresses, none beside another.
    free: Vec<(u32, usize)>,
    shared: Vec<Shared>,
    got: Got,
    unseen: Vec<Unseen>,
    /// Storage that it shares with other tasks.
    arena: Option<Arc<Arena>>,
    /// True if the TWA lies here: a program has asked for it.
    has_twa: bool,
    /// Bytes behind its last part: what a program addresses with a constant lies in front of the window's end, whatever its linkage
    /// says. What is visible is cleared when the window is given back, so more would cost every task.
    reach: usize,
    /// Bytes that it has at least, for the programs that have been entered.
    least: usize,
    /// True if programs see [`native::BEYOND`] bytes behind that, which belong to no area.
    strays: bool,
    /// True if a program has been entered that may change bytes which it does not name.
    is_wild: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            storage: cobol_run::Task::lent(native::windows(), cobol_run::RESERVED + PAGE),
            free: Vec::new(),
            shared: Vec::new(),
            got: Got::default(),
            unseen: Vec::new(),
            arena: None,
            has_twa: false,
            reach: 0,
            least: 0,
            strays: false,
            is_wild: false,
        }
    }
}

impl Window {
    /// One that shares storage with other tasks.
    pub fn sharing(arena: &Arc<Arena>) -> Self {
        let mut window = Self::default();
        window.storage = window.storage.sharing(Arc::clone(arena) as Arc<dyn cobol_run::Shared>);
        window.arena = Some(Arc::clone(arena));
        window
    }

    /// A part of so many bytes, which are zeros.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn allocate(&mut self, length: usize) -> Result<u32, ProgramFault> {
        let length = rounded(length);
        if let Some(place) = self.free.iter().position(|(_, free)| *free >= length) {
            let (at, free) = self.free[place];
            if free == length {
                self.free.remove(place);
            } else {
                self.free[place] = (at + length as u32, free - length);
            }
            return Ok(at);
        }
        if self.storage.extent().saturating_add(length) > WINDOW_BYTES_MAX {
            return Err(ProgramFault::Protection);
        }
        self.goes_on(length + ALIGNMENT, 0);
        self.storage.allocate(length)
    }

    /// A program is entered, whose records may be longer than what it is passed, and whose subscripts may lead anywhere.
    pub fn serves(&mut self, code: &native::Loaded<native::KeptProgram>) {
        self.reach = self.reach.max(code.reach());
        self.least = self.least.max(code.storage_min());
        if code.may_stray() {
            self.strays = true;
        }
        if code.changes().is_none() {
            self.is_wild = true;
        }
        self.goes_on(0, code.storage_min());
    }

    /// Returns true if all of its programs change no bytes but those that they name: [`native::Loaded::changes`].
    pub fn is_tame(&self) -> bool {
        !self.is_wild
    }

    /// It goes on behind its last part, for so many bytes more and what programs look at behind them.
    fn goes_on(&mut self, more: usize, least: usize) {
        let length = (self.storage.extent() + more + self.reach).max(least);
        let length = length.next_multiple_of(PAGE);
        self.storage.lengthen(length);
        // Commands look there, too, whatever the program is like.
        if self.strays || !self.storage.is_lent() {
            self.storage.show(length + native::BEYOND);
        }
    }

    /// Begins again for another task: all of it is zeros from now on, and these parts have their places; nothing else is there. False
    /// if it is not kept for another task, since it is too long.
    pub fn begins_again(&mut self, parts: &[(u32, usize)]) -> bool {
        let mut parts: SmallVec<[(u32, usize); 8]> = parts.iter().copied().collect();
        parts.sort_unstable();
        let end_of = |(at, length): (u32, usize)| at as usize + rounded(length);
        let end = parts.last().map_or(cobol_run::RESERVED, |part| end_of(*part));
        let length = (end + ALIGNMENT + self.reach).max(self.least).next_multiple_of(PAGE);
        if self.storage.extent().max(length) > SPARE_WINDOW_BYTES_MAX
            || !self.storage.begin_again(end, length)
        {
            return false;
        }
        self.free.clear();
        let mut from = cobol_run::RESERVED;
        for part in parts {
            if from < part.0 as usize {
                self.free.push((from as u32, part.0 as usize - from));
            }
            from = end_of(part);
        }
        self.shared.clear();
        self.got = Got::default();
        self.unseen.clear();
        self.has_twa = false;
        self.goes_on(0, self.least);
        true
    }

    /// Up to where commands find bytes, whatever the length says that they are given.
    fn end(&self) -> usize {
        self.storage.memory().len().max(self.storage.extent() + native::BEYOND)
    }

    /// A part with these bytes.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn hold(&mut self, bytes: &[u8]) -> Result<u32, ProgramFault> {
        let at = self.allocate(bytes.len())?;
        self.storage.bytes_mut(at, bytes.len()).copy_from_slice(bytes);
        Ok(at)
    }

    /// The same with what a segment of a program has at the beginning.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn hold_template(&mut self, template: &Template) -> Result<u32, ProgramFault> {
        let at = self.allocate(template.len())?;
        template.write_on_zeros(self.storage.bytes_mut(at, template.len()));
        Ok(at)
    }

    /// Gives a part back, and clears it. Free parts side by side become one, so that a task that gets and frees areas of
    /// growing length does not fill its window.
    pub fn give(&mut self, at: u32, length: usize) {
        let length = rounded(length);
        self.storage.clear(at, length);
        let place = self.free.partition_point(|(free, _)| *free < at);
        self.free.insert(place, (at, length));
        self.join(place);
        if place > 0 {
            self.join(place - 1);
        }
    }

    /// A free part takes in the one behind it, if nothing lies between them.
    fn join(&mut self, place: usize) {
        let Some(&(next, more)) = self.free.get(place + 1) else { return };
        let (at, length) = &mut self.free[place];
        if *at as usize + *length == next as usize {
            *length += more;
            self.free.remove(place + 1);
        }
    }

    /// Makes zeros of bytes that no other task sees. False if they are not there.
    pub fn clear(&mut self, at: u32, length: usize) -> bool {
        let is_there = self.part(at, length).is_some();
        if is_there {
            self.storage.clear(at, length);
        }
        is_there
    }

    /// Bytes of it, or a copy of what is shared; `None` if they are not there.
    pub fn read(&self, at: u32, length: usize) -> Option<Cow<'_, [u8]>> {
        if at >= SHARED {
            let mut bytes = vec![0; length.min(self.room(at)?)];
            return (bytes.len() == length && self.storage.read(at, &mut bytes)).then_some(Cow::Owned(bytes));
        }
        self.own(at, length).map(Cow::Borrowed)
    }

    /// Fills bytes from an address on; false if they are not there.
    #[inline]
    pub fn fill(&self, at: u32, into: &mut [u8]) -> bool {
        if at >= SHARED {
            return self.storage.read(at, into);
        }
        let start = at as usize;
        if let Some(bytes) = self.storage.memory().get(start..start + into.len())
            && start >= cobol_run::RESERVED
        {
            into.copy_from_slice(bytes);
            return true;
        }
        self.own(at, into.len()).map(|bytes| into.copy_from_slice(bytes)).is_some()
    }

    /// Changes bytes from an address on; false if they are not there.
    #[inline]
    pub fn put(&mut self, at: u32, bytes: &[u8]) -> bool {
        if at >= SHARED {
            return self.storage.write(at, bytes);
        }
        let start = at as usize;
        if let Some(into) = self.storage.memory_mut().get_mut(start..start + bytes.len())
            && start >= cobol_run::RESERVED
        {
            into.copy_from_slice(bytes);
            return true;
        }
        self.part(at, bytes.len()).map(|into| into.copy_from_slice(bytes)).is_some()
    }

    /// The number of bytes of what is shared from an address on.
    fn room(&self, at: u32) -> Option<usize> {
        usize::try_from(self.storage.record(at).limit).ok()
    }

    /// The number of bytes of an argument that are there: one that is declared longer than the shared area in which it lies ends
    /// with that area.
    pub fn present(&self, at: u32, length: u32) -> usize {
        let room = if at >= SHARED { self.room(at) } else { None };
        room.unwrap_or(usize::MAX).min(length as usize)
    }

    /// Bytes that no other task sees; `None` if they are not there.
    fn own(&self, at: u32, length: usize) -> Option<&[u8]> {
        let at = at as usize;
        let end = at.checked_add(length)?;
        let is_near = at >= cobol_run::RESERVED && end <= self.end();
        self.storage.memory().get(at..end).or_else(|| self.storage.beyond(at..end)).filter(|_| is_near)
    }

    /// The same, to be changed.
    #[inline]
    pub fn part(&mut self, at: u32, length: usize) -> Option<&mut [u8]> {
        let at = at as usize;
        let end = at.checked_add(length)?;
        if end > self.storage.memory().len() && end <= self.end() {
            self.storage.show(end);
        }
        self.storage.memory_mut().get_mut(at..end).filter(|_| at >= cobol_run::RESERVED)
    }

    /// A part stands for an area from now on.
    pub fn share(&mut self, at: u32, length: usize, area: StorageAddress) {
        // Most tasks have these two and no others, and keep the room for as long as they wait.
        if self.shared.capacity() == 0 {
            self.shared.reserve_exact(LENT);
        }
        self.shared.push(Shared { at, length, area, kind: Kind::Lent });
    }

    /// It does not any more: it stands for what it stood for before, if it did.
    pub fn unshare(&mut self, at: u32) {
        if let Some(place) = self.shared.iter().rposition(|shared| shared.at == at) {
            self.shared.remove(place);
        }
    }

    /// A COMMAREA of so many bytes, with room for so many, stands for an area as soon as a program names it, or asks for its address.
    pub fn share_later(&mut self, area: StorageAddress, length: usize, room: usize) {
        self.unseen.push(Unseen { area, length, room });
    }

    /// The part of such a COMMAREA, which it has from now on. `None` if there is no such area.
    ///
    /// # Errors
    /// The window has become too large, or the area has gone.
    pub fn shows_later(&mut self, area: StorageAddress) -> Result<Option<u32>, ProgramFault> {
        let Some(place) = self.unseen.iter().position(|unseen| unseen.area == area) else {
            return Ok(self.part_of(area));
        };
        let Unseen { length, room, .. } = self.unseen[place];
        let at = self.allocate(room)?;
        if self.is_wild {
            // A program may have changed what belonged to no part.
            self.storage.clear(at, room);
        }
        if storage::read_on_zeros(area, self.storage.bytes_mut(at, length)).is_err() {
            self.give(at, room);
            return Err(ProgramFault::Protection);
        }
        self.unseen.swap_remove(place);
        self.share(at, length, area);
        Ok(Some(at))
    }

    /// The part that stands for an area.
    pub fn part_of(&self, area: StorageAddress) -> Option<u32> {
        self.shared.iter().find(|shared| shared.area == area).map(|shared| shared.at)
    }

    /// The COMMAREA of an area stands for it no more. Its part, if a program has asked for its address.
    pub fn forget_unseen(&mut self, area: StorageAddress) -> Option<u32> {
        self.unseen.retain(|unseen| unseen.area != area);
        let at = self.part_of(area)?;
        self.unshare(at);
        Some(at)
    }

    /// The area that begins at an address; `None` for an interface block, whose bytes programs have in the window alone.
    pub fn area_of(&self, at: u32) -> Option<StorageAddress> {
        if at >= SHARED {
            return self.arena.as_ref()?.address(at);
        }
        let shared = self.shared.iter().rev().find(|shared| shared.at == at).map(|shared| shared.area);
        let area = shared.or_else(|| self.got.by_part.get(&at).copied());
        area.filter(|area| !area.is_of_nothing())
    }

    /// The address for the region of so many bytes that tasks share; `None` if they are not there, or are the task's own.
    pub fn shared_place(&self, at: u32, length: usize) -> Option<StorageAddress> {
        self.room(at).filter(|room| at >= SHARED && length <= *room)?;
        self.arena.as_ref()?.address(at)
    }

    /// The address for the region of a place within a part that stands for an area, or in shared storage.
    pub fn place_of(&self, at: u32) -> Option<StorageAddress> {
        if at >= SHARED {
            return self.arena.as_ref()?.address(at);
        }
        let shared = self.shared.iter().rev().find_map(|shared| {
            let behind = at.checked_sub(shared.at)? as usize;
            (behind < shared.length).then(|| shared.area.behind(behind))?
        });
        shared.or_else(|| self.got.place_of(at))
    }

    /// The address for programs of one that the region has: in an area of the task, or in shared storage. An area of the task that has
    /// no part yet gets one. `None` for what is neither.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn address_of(
        &mut self,
        address: StorageAddress,
        owners: &Owners<'_>,
    ) -> Result<Option<u32>, ProgramFault> {
        if address == StorageAddress::NULL {
            return Ok(Some(0));
        }
        if let Some(at) = address.in_window() {
            return Ok(Some(at));
        }
        if let Some(at) = self.arena.as_ref().and_then(|arena| arena.at(address)) {
            return Ok(Some(at));
        }
        if let Some(at) = self.shows_later(address)? {
            return Ok(Some(at));
        }
        if let Some((at, _)) = self.got.by_area.get(&address) {
            return Ok(Some(*at));
        }
        let is_twa = StorageAddress::of(owners.twa) == address;
        let area = if is_twa { Some(owners.twa) } else { owners.storage.area(address) };
        let Some(area) = area else { return Ok(None) };
        let at = self.allocate(area.len())?;
        area.read(0, self.storage.bytes_mut(at, area.len()));
        if is_twa {
            self.has_twa = true;
            self.shared.push(Shared { at, length: area.len(), area: address, kind: Kind::Twa });
        } else {
            self.got.add(address, at, area.len());
        }
        Ok(Some(at))
    }

    /// The place of the TWA, once a program has asked for it.
    fn twa(&self) -> Option<(u32, usize)> {
        let twa = self.shared.iter().find(|shared| shared.kind == Kind::Twa)?;
        Some((twa.at, twa.length))
    }

    /// Programs of the task run: they see the TWA.
    #[inline]
    pub fn takes_twa(&mut self, twa: &Area) {
        if !self.has_twa
            && let Some((at, length)) = self.twa()
        {
            twa.read(0, self.storage.bytes_mut(at, length));
            self.has_twa = true;
        }
    }

    /// An area of the task has gone: so does its part.
    pub fn forget_freed(&mut self, freed: StorageAddress) {
        if let Some((at, length)) = self.got.remove(freed) {
            self.give(at, length);
        }
    }

    /// The address for programs of one within an area that has a part of the window, or in shared storage.
    pub fn within(&self, address: StorageAddress) -> Option<u32> {
        if let Some(at) = address.in_window() {
            return Some(at);
        }
        if let Some(at) = self.arena.as_ref().and_then(|arena| arena.at(address)) {
            return Some(at);
        }
        let shared = self.shared.iter().find_map(|shared| {
            let behind = address.distance_from(shared.area)?;
            (behind < shared.length).then(|| shared.at + behind as u32)
        });
        shared.or_else(|| self.got.within(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_given_back_cleared_and_used_again() {
        let mut window = Window::default();
        let first = window.hold(b"secret").expect("there is room");
        window.give(first, 6);
        let second = window.allocate(6).expect("there is room");
        assert_eq!(first, second);
        assert_eq!(window.read(second, 6).as_deref(), Some(&[0; 6][..]));
    }

    #[test]
    fn one_that_begins_again_has_its_parts_and_zeros_everywhere() {
        let mut window = Window::default();
        let first = window.hold(&[7; 88]).expect("there is room");
        let other = window.hold(&[7; 300]).expect("there is room");
        let second = window.hold(&[7; 20]).expect("there is room");
        let last = window.hold(&[7; 9000]).expect("there is room");
        window.share(other, 300, StorageAddress::of_host(4096));
        window.got.add(StorageAddress::of_host(8192), last, 9000);
        let end = window.storage.memory().len();
        window.storage.memory_mut()[end - 1] = 7;
        window.storage.show(end + 100);
        window.storage.memory_mut()[end + 99] = 7;
        assert!(window.begins_again(&[(second, 20), (first, 88)]));
        window.storage.show(end + 100);
        assert!(window.storage.memory().iter().all(|byte| *byte == 0));
        assert_eq!(
            (window.area_of(other), window.area_of(last), window.within(StorageAddress::of_host(8192))),
            (None, None, None)
        );
        // The places of what has gone are free, those of its parts are not.
        assert_eq!(window.allocate(300), Ok(other));
        assert_eq!(window.allocate(8), Ok(last));
    }

    #[test]
    fn a_long_one_does_not_begin_again() {
        let mut window = Window::default();
        let part = window.hold(&[7; 8]).expect("there is room");
        window.allocate(SPARE_WINDOW_BYTES_MAX).expect("there is room");
        assert!(!window.begins_again(&[(part, 8)]));
    }

    #[test]
    fn areas_of_growing_length_do_not_fill_it() {
        let mut window = Window::default();
        for length in (1..4096).map(|step| step * 64) {
            let at = window.allocate(length).expect("there is room");
            window.give(at, length);
        }
        assert!(window.storage.extent() < 4 << 20, "{}", window.storage.extent());
    }

    #[test]
    fn a_commarea_has_no_part_until_it_is_asked_for() {
        let mut window = Window::default();
        let area = Area::with_room(b"GET /", 32_763);
        let address = StorageAddress::of(&area);
        let extent = window.storage.extent();
        window.share_later(address, area.len(), area.len());
        assert_eq!((window.storage.extent(), window.part_of(address)), (extent, None));
        let at = window.shows_later(address).expect("there is room").expect("a part");
        assert_eq!(window.read(at, 6).as_deref(), Some(&b"GET /\0"[..]));
        assert_eq!((window.area_of(at), window.shows_later(address)), (Some(address), Ok(Some(at))));
        assert_eq!((window.forget_unseen(address), window.part_of(address)), (Some(at), None));
        window.share_later(address, area.len(), area.len());
        assert_eq!((window.forget_unseen(address), window.shows_later(address)), (None, Ok(None)));
    }

    #[test]
    fn a_commarea_lies_on_zeros_where_a_program_may_have_changed_any_byte() {
        let mut window = Window::default();
        let area = Area::with_room(b"GET /", 500);
        let address = StorageAddress::of(&area);
        window.share_later(address, area.len(), 600);
        window.is_wild = true;
        window.storage.lengthen(PAGE);
        window.storage.memory_mut()[cobol_run::RESERVED..].fill(7);
        let at = window.shows_later(address).expect("there is room").expect("a part");
        let shown = window.read(at, 600).expect("it is there");
        assert_eq!((&shown[..5], shown[5..].iter().all(|byte| *byte == 0)), (&b"GET /"[..], true));
    }

    #[test]
    fn a_commarea_for_which_there_is_no_room_stays() {
        let mut window = Window::default();
        let area = Area::with(b"COMMAREA");
        let address = StorageAddress::of(&area);
        window.share_later(address, area.len(), WINDOW_BYTES_MAX + 1);
        assert_eq!(window.shows_later(address), Err(ProgramFault::Protection));
        assert_eq!(window.shows_later(address), Err(ProgramFault::Protection));
    }

    #[test]
    fn an_area_that_the_task_has_not_got_is_not_given_back() {
        let mut window = Window::default();
        let at = window.hold(b"COMMAREA").expect("there is room");
        let area = StorageAddress::of_host(4096);
        window.share(at, 8, area);
        window.forget_freed(area);
        assert_eq!((window.area_of(at), window.read(at, 8).as_deref()), (Some(area), Some(&b"COMMAREA"[..])));
    }

    #[test]
    fn nothing_outside_of_it_is_read_and_it_has_a_limit() {
        let mut window = Window::default();
        assert_eq!(window.read(0, 1), None);
        assert_eq!(window.read(u32::MAX, 1), None);
        assert_eq!(window.allocate(WINDOW_BYTES_MAX + 1), Err(ProgramFault::Protection));
    }
}
