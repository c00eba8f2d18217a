//! The window of a task: the storage that its natively compiled programs see, and all of it.
//!
//! An address in it is an offset, and means nothing in another task's. Areas that the region keeps for the task (GETMAIN,
//! SET, the COMMAREA) have a part of the window: the program works there, and commands are given the area's own address.
//! What never lives here: code, and the meaning of a command.

use cobol_ir::run::Fault;

use super::{StorageAddress, TaskStorage};
use crate::limits::WINDOW_BYTES_MAX;

/// What every part begins at a multiple of.
const ALIGNMENT: usize = 8;

/// A part of the window that stands for an area of the region.
#[derive(Clone, Copy, Debug)]
struct Shared {
    at: u32,
    length: usize,
    area: StorageAddress,
    /// It is storage of the task (GETMAIN, SET), which FREEMAIN takes away.
    is_got: bool,
}

/// Bytes of a window at its beginning: more than most tasks' programs have.
const FIRST_BYTES: usize = 256 << 10;

/// The window.
pub struct Window {
    /// Its bytes.
    pub storage: cobol_ir::run::Task,
    /// Parts that were given back, in the order of their addresses, none beside another.
    free: Vec<(u32, usize)>,
    shared: Vec<Shared>,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            storage: cobol_ir::run::Task::new(native::STORAGE_MIN + FIRST_BYTES),
            free: Vec::new(),
            shared: Vec::new(),
        }
    }
}

impl Window {
    /// A part of so many bytes, which are zeros.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn allocate(&mut self, length: usize) -> Result<u32, Fault> {
        let length = length.max(1).next_multiple_of(ALIGNMENT);
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
        // What a program addresses with a constant lies in front of the window's end, whatever its linkage says.
        self.storage.make_room(length + ALIGNMENT + native::STORAGE_MIN);
        self.storage.allocate(length)
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
        let length = length.max(1).next_multiple_of(ALIGNMENT);
        self.storage.bytes_mut(at, length).fill(0);
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

    /// Bytes of it; none where they are not there.
    pub fn read(&self, at: u32, length: usize) -> Option<&[u8]> {
        let at = at as usize;
        let end = at.checked_add(length)?;
        self.storage.memory().get(at..end).filter(|_| at >= cobol_ir::run::RESERVED)
    }

    /// The same, to be changed.
    pub fn write(&mut self, at: u32, length: usize) -> Option<&mut [u8]> {
        let at = at as usize;
        let end = at.checked_add(length)?;
        self.storage.memory_mut().get_mut(at..end).filter(|_| at >= cobol_ir::run::RESERVED)
    }

    /// A part stands for an area from now on.
    pub fn share(&mut self, at: u32, length: usize, area: StorageAddress) {
        self.shared.push(Shared { at, length, area, is_got: false });
    }

    /// It does not any more.
    pub fn unshare(&mut self, at: u32) {
        self.shared.retain(|shared| shared.at != at);
    }

    /// The area that an address of the window is in.
    pub fn area_of(&self, at: u32) -> Option<StorageAddress> {
        let shared = self.shared.iter().find(|shared| shared.at == at)?;
        Some(shared.area)
    }

    /// The address in the window of one in an area of the task; an area that has none yet gets one. None for what is no
    /// area of the task.
    ///
    /// # Errors
    /// The window has become too large.
    pub fn address_of(
        &mut self,
        address: StorageAddress,
        storage: &TaskStorage,
    ) -> Result<Option<u32>, Fault> {
        if address == StorageAddress::NULL {
            return Ok(Some(0));
        }
        if let Some(shared) = self.shared.iter().find(|shared| shared.area == address) {
            return Ok(Some(shared.at));
        }
        let area = storage.area(address);
        let Some(area) = area else { return Ok(None) };
        let at = self.hold(&area.to_vec())?;
        self.shared.push(Shared { at, length: area.len(), area: address, is_got: true });
        Ok(Some(at))
    }

    /// An area of the task has gone: so does its part.
    pub fn forget_freed(&mut self, freed: StorageAddress) {
        let found = self.shared.iter().find(|shared| shared.area == freed && shared.is_got);
        if let Some(shared) = found.copied() {
            self.unshare(shared.at);
            self.give(shared.at, shared.length);
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
