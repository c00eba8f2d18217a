//! The window of a task: the storage that its natively compiled programs see, and all of it.
//!
//! An address in it is an offset, and means nothing in another task's. Areas that the region keeps for the task (GETMAIN,
//! SET, the COMMAREA) have a part of the window: the program works there, and commands are given the area's own address.
//! What never lives here: code, and the meaning of a command.

use std::sync::atomic::{AtomicBool, Ordering};

use cobol::Area;
use cobol_run::Fault;
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::seen::{Copy as SeenCopy, Span, Stored};
use super::{Lent, Names, StorageAddress, TaskStorage};
use crate::limits::WINDOW_BYTES_MAX;

mod between;

pub use between::KeptWindows;

/// What every part begins at a multiple of.
const ALIGNMENT: usize = 8;

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

/// What kind of area a part stands for.
#[derive(Clone, Debug)]
enum Kind {
    /// The level's interface block or COMMAREA: it sees to them.
    Lent,
    /// Storage of the task (GETMAIN, SET), which FREEMAIN takes away.
    Got,
    /// A copy of storage that others see.
    Seen(Whose, SeenCopy),
}

/// Whose storage a program shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The CWA.
    Region,
    /// The TWA: other programs of the task.
    Task,
    /// GETMAIN SHARED.
    Everybody,
    /// An event control area or what LOAD gives, which the region keeps.
    Lent,
}

/// Who has the areas that a task's programs may be given.
pub struct Owners<'t> {
    pub cwa: &'t Mutex<Area>,
    pub cwa_length: usize,
    /// GETMAIN SHARED.
    pub everybodys: &'t Mutex<TaskStorage>,
    pub names: &'t Mutex<Names>,
    pub lent: &'t Lent,
    pub storage: &'t TaskStorage,
    pub twa: &'t mut Area,
    /// Whether somebody writes to what others see without an area that tells: programs of the hosted compiler do, and so does a
    /// level whose COMMAREA is such an area.
    pub direct: &'t AtomicBool,
}

impl Owners<'_> {
    /// Does something with an area that others see; none where it is gone.
    fn with<T>(
        &mut self,
        whose: Whose,
        address: StorageAddress,
        what: impl FnOnce(&mut Area) -> T,
    ) -> Option<T> {
        match whose {
            Whose::Region => Some(what(&mut self.cwa.lock())),
            Whose::Task => Some(what(self.twa)),
            Whose::Everybody => self.everybodys.lock().area_mut(address).map(what),
            Whose::Lent => self.lent.at(address).map(|area| what(&mut area.lock())),
        }
    }

    /// Whose the area at an address is that others see.
    fn whose(&self, address: StorageAddress) -> Option<Whose> {
        match () {
            () if StorageAddress::of(&self.cwa.lock()) == address => Some(Whose::Region),
            () if StorageAddress::of(self.twa) == address => Some(Whose::Task),
            () if self.everybodys.lock().area(address).is_some() => Some(Whose::Everybody),
            () if self.lent.at(address).is_some() => Some(Whose::Lent),
            () => None,
        }
    }

    /// The name of an area that all tasks see.
    fn name_of(&self, address: StorageAddress, length: usize) -> Option<u32> {
        let cwa = StorageAddress::of(&self.cwa.lock());
        let shared = self.everybodys.lock();
        let lives = |other: StorageAddress| match other == cwa {
            true => Some(self.cwa_length),
            false => shared.area(other).map(Area::len).or_else(|| self.lent.everybodys(other)),
        };
        self.names.lock().of((address, length), lives)
    }
}

/// Parts that a level lends: its interface block and its COMMAREA.
const LENT: usize = 2;

/// What a window ends at a multiple of: memory comes in pages, so less would save nothing.
const PAGE: usize = 4 << 10;

/// The window.
pub struct Window {
    /// Its bytes.
    pub storage: cobol_run::Task,
    /// Parts that were given back, in the order of their addresses, none beside another.
    free: Vec<(u32, usize)>,
    shared: Vec<Shared>,
    /// All copies of what others see lie in there.
    seen: Span,
    /// Copies that a task before this one has left: nobody's until a program asks for their areas.
    asleep: SmallVec<[between::Asleep; 1]>,
    /// Whether a COMMAREA has been storage that others see.
    tells_nobody: bool,
    /// Bytes behind its last part: what a program addresses with a constant lies in front of the window's end, whatever its linkage
    /// says. What is visible is cleared when the window is given back, so more would cost every task.
    reach: usize,
    /// Whether programs see [`native::BEYOND`] bytes behind that, which are nobody's.
    strays: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            storage: cobol_run::Task::lent(native::windows(), cobol_run::RESERVED + PAGE),
            free: Vec::new(),
            shared: Vec::new(),
            seen: 0..0,
            asleep: SmallVec::new(),
            tells_nobody: false,
            reach: 0,
            strays: false,
        }
    }
}

impl Window {
    /// A part of so many bytes, which are zeros.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn allocate(&mut self, length: usize) -> Result<u32, Fault> {
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
            return Err(Fault::Protection);
        }
        self.goes_on(length + ALIGNMENT, 0);
        self.storage.allocate(length)
    }

    /// A program is entered, whose records may be longer than what it is passed, and whose subscripts may lead anywhere.
    pub fn serves(&mut self, code: &native::Loaded<native::Kept>) {
        self.reach = self.reach.max(code.reach());
        if code.stores().may_stray() {
            self.strays = true;
        }
        self.goes_on(0, code.storage_min());
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

    /// Up to where commands find bytes, whatever the length says that they are given.
    fn end(&self) -> usize {
        self.storage.memory().len().max(self.storage.extent() + native::BEYOND)
    }

    /// A part with these bytes.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn hold(&mut self, bytes: &[u8]) -> Result<u32, Fault> {
        let at = self.allocate(bytes.len())?;
        self.storage.bytes_mut(at, bytes.len()).copy_from_slice(bytes);
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

    /// Makes zeros of bytes that nobody else sees. False if they are not there.
    pub fn clear(&mut self, at: u32, length: usize) -> bool {
        let is_there = self.write(at, length).is_some();
        if is_there {
            self.storage.clear(at, length);
        }
        is_there
    }

    /// Bytes of it; `None` if they are not there.
    pub fn read(&self, at: u32, length: usize) -> Option<&[u8]> {
        let at = at as usize;
        let end = at.checked_add(length)?;
        let is_near = at >= cobol_run::RESERVED && end <= self.end();
        self.storage.memory().get(at..end).or_else(|| self.storage.beyond(at..end)).filter(|_| is_near)
    }

    /// The same, to be changed.
    pub fn write(&mut self, at: u32, length: usize) -> Option<&mut [u8]> {
        self.is_written(at, length);
        let at = at as usize;
        let end = at.checked_add(length)?;
        if end > self.storage.memory().len() && end <= self.end() {
            self.storage.show(end);
        }
        self.storage.memory_mut().get_mut(at..end).filter(|_| at >= cobol_run::RESERVED)
    }

    /// Somebody else than a program changes bytes: where others see them, they go there.
    pub fn is_written(&mut self, at: u32, length: usize) {
        let (at, end) = (at as usize, (at as usize).saturating_add(length));
        if at >= self.seen.end as usize || end <= self.seen.start as usize {
            return;
        }
        for shared in &mut self.shared {
            let Kind::Seen(_, copy) = &mut shared.kind else { continue };
            let part = shared.at as usize;
            let (from, to) = (at.max(part), end.min(part + shared.length));
            if from < to {
                copy.is_written(from - part..to - part);
            }
        }
    }

    /// A part stands for an area from now on.
    pub fn share(&mut self, at: u32, length: usize, area: StorageAddress) {
        // Most tasks have these two and no others, and keep the room for as long as they wait.
        if self.shared.capacity() == 0 {
            self.shared.reserve_exact(LENT);
        }
        self.shared.push(Shared { at, length, area, kind: Kind::Lent });
        self.notice_direct();
    }

    /// It does not any more.
    pub fn unshare(&mut self, at: u32) {
        self.shared.retain(|shared| shared.at != at);
    }

    /// The area that an address of the window is in.
    pub fn area_of(&self, at: u32) -> Option<StorageAddress> {
        let at = self.storage.address_of_name(at);
        let shared = self.shared.iter().find(|shared| shared.at == at)?;
        Some(shared.area)
    }

    /// The address for the region of a place within a part that stands for an area.
    pub fn place_of(&self, at: u32) -> Option<StorageAddress> {
        let at = self.storage.address_of_name(at);
        self.shared.iter().find_map(|shared| {
            let behind = at.checked_sub(shared.at)? as usize;
            (behind < shared.length).then(|| shared.area.behind(behind))?
        })
    }

    /// The address in the window of one in an area of the task; an area that has none yet gets one. None for what is no
    /// area of the task.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn address_of(
        &mut self,
        address: StorageAddress,
        owners: &mut Owners<'_>,
    ) -> Result<Option<u32>, Fault> {
        if address == StorageAddress::NULL {
            return Ok(Some(0));
        }
        if let Some(shared) = self.shared.iter().find(|shared| shared.area == address) {
            return Ok(Some(shared.at));
        }
        if let Some(area) = owners.storage.area(address) {
            let at = self.allocate(area.len())?;
            area.read(0, self.storage.bytes_mut(at, area.len()));
            self.shared.push(Shared { at, length: area.len(), area: address, kind: Kind::Got });
            return Ok(Some(at));
        }
        if let Some(at) = self.wake(address, owners) {
            return Ok(Some(at));
        }
        let Some(whose) = owners.whose(address) else { return Ok(None) };
        let Some(length) = owners.with(whose, address, |area| area.len()) else { return Ok(None) };
        let at = self.allocate(length)?;
        let bytes = self.storage.bytes_mut(at, length);
        let copy = owners.with(whose, address, |area| {
            // It may have become another one meanwhile.
            (area.len() == length).then(|| SeenCopy::of(area, bytes))
        });
        let Some(copy) = copy.flatten() else {
            self.give(at, length);
            return Ok(None);
        };
        let is_everybodys = match whose {
            Whose::Region | Whose::Everybody => true,
            Whose::Task => false,
            Whose::Lent => owners.lent.everybodys(address).is_some(),
        };
        if is_everybodys {
            let name = owners.name_of(address, length).ok_or(Fault::Protection)?;
            self.storage.name(at, length as u32, name);
        }
        self.shares_copy(Shared { at, length, area: address, kind: Kind::Seen(whose, copy) });
        Ok(Some(at))
    }

    /// A part is a copy of what others see from now on.
    fn shares_copy(&mut self, shared: Shared) {
        let (at, end) = (shared.at, shared.at + shared.length as u32);
        self.shared.push(shared);
        self.seen = match self.seen.is_empty() {
            true => at..end,
            false => self.seen.start.min(at)..self.seen.end.max(end),
        };
        self.notice_direct();
    }

    /// What a pointer to an address holds: of storage that all tasks see its name.
    pub fn pointer_to(&self, at: u32) -> u32 {
        self.storage.named(at)
    }

    /// The address in the window of what a pointer names; none if it names nothing that is there.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn reach(&mut self, pointer: u32, owners: &mut Owners<'_>) -> Result<Option<u32>, Fault> {
        let found = owners.names.lock().find(pointer);
        let Some((name, address, length)) = found else { return Ok(None) };
        let at = self.address_of(address, owners)?;
        let is_it = |at: &u32| self.shared.iter().any(|shared| (shared.at, shared.length) == (*at, length));
        Ok(at.filter(is_it).map(|at| at + (pointer - name)))
    }

    /// What the programs of the task have changed of storage that others see goes there, and what others have changed comes
    /// from there: whenever a program begins to run, and whenever it rests. An area that is gone is shared no more.
    pub fn exchange(&mut self, owners: &mut Owners<'_>, stored: Stored<'_>) {
        if self.tells_nobody {
            owners.direct.store(true, Ordering::Relaxed);
        }
        let direct = owners.direct.load(Ordering::Relaxed);
        if self.is_same(stored, direct) {
            return;
        }
        let (storage, mut gone) = (&mut self.storage, Vec::new());
        self.shared.retain_mut(|shared| {
            let Kind::Seen(whose, copy) = &mut shared.kind else { return true };
            let (at, length) = (shared.at, shared.length);
            if !direct && copy.is_up_to_date() && !stored.touches(&(at..at + length as u32)) {
                return true;
            }
            let bytes = storage.bytes_mut(at, length);
            let exchanged = owners.with(*whose, shared.area, |area| {
                let is_same = area.len() == length;
                if is_same {
                    copy.exchange(at, bytes, area, stored, direct);
                }
                is_same
            });
            let is_there = exchanged == Some(true);
            if !is_there {
                storage.forget_name(at);
                gone.push((at, length));
            }
            is_there
        });
        // A program that asks for one event after the other does not fill its window.
        for (at, length) in gone {
            self.give(at, length);
        }
    }

    /// Whether a part of it stands for storage that others see.
    #[inline]
    pub fn sees_others(&self) -> bool {
        !self.seen.is_empty()
    }

    /// Whether an exchange would change nothing.
    #[inline]
    fn is_same(&self, stored: Stored<'_>, direct: bool) -> bool {
        if !self.sees_others() {
            return true;
        }
        let copies = || {
            self.shared.iter().filter_map(|shared| match &shared.kind {
                Kind::Seen(_, copy) => Some((shared, copy)),
                Kind::Lent | Kind::Got => None,
            })
        };
        if direct || !copies().all(|(_, copy)| copy.is_up_to_date()) {
            return false;
        }
        !stored.touches(&self.seen)
            || copies().all(|(shared, copy)| {
                let bytes = self.storage.bytes(shared.at, shared.length);
                copy.is_same(shared.at, bytes, stored)
            })
    }

    /// A part has come: if a COMMAREA is storage that others see, what a program does there goes to that without telling.
    fn notice_direct(&mut self) {
        let lent = |shared: &&Shared| matches!(shared.kind, Kind::Lent);
        let is_seen = |area: StorageAddress| self.shared.iter().any(|own| own.area == area && !lent(&own));
        self.tells_nobody |= self.shared.iter().filter(lent).any(|shared| is_seen(shared.area));
    }

    /// An area of the task has gone: so does its part.
    pub fn forget_freed(&mut self, freed: StorageAddress) {
        let found =
            self.shared.iter().find(|shared| shared.area == freed && matches!(shared.kind, Kind::Got));
        if let Some((at, length)) = found.map(|shared| (shared.at, shared.length)) {
            self.unshare(at);
            self.give(at, length);
        }
    }

    /// Where in the window an address of an area lies that has a part of it.
    pub fn within(&self, address: StorageAddress) -> Option<u32> {
        self.shared.iter().find_map(|shared| {
            let behind = address.distance_from(shared.area)?;
            (behind < shared.length).then(|| shared.at + behind as u32)
        })
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
        assert_eq!(window.read(second, 6), Some(&[0; 6][..]));
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
    fn an_area_that_the_task_has_not_got_is_not_given_back() {
        let mut window = Window::default();
        let at = window.hold(b"COMMAREA").expect("there is room");
        let area = StorageAddress::of_host(4096);
        window.share(at, 8, area);
        window.forget_freed(area);
        assert_eq!((window.area_of(at), window.read(at, 8)), (Some(area), Some(&b"COMMAREA"[..])));
    }

    #[test]
    fn nothing_outside_of_it_is_read_and_it_has_a_limit() {
        let mut window = Window::default();
        assert_eq!(window.read(0, 1), None);
        assert_eq!(window.read(u32::MAX, 1), None);
        assert_eq!(window.allocate(WINDOW_BYTES_MAX + 1), Err(Fault::Protection));
    }
}
