//! An area: its bytes, its address, its check zones.

use std::fmt;
use std::sync::Arc;

use crate::arena::{self, Arena, CHECK_ZONE, CHECK_ZONES};
use crate::error::StorageFault;
use crate::private::{self, Slot};

/// Storage with a stable address, zeroed at first.
///
/// Machine code of programs writes to shared storage at any time, so an area is only ever copied in and out.
#[derive(Debug)]
pub struct Area {
    address: usize,
    length: usize,
    home: Home,
}

/// The place of an area's bytes.
#[derive(Debug)]
enum Home {
    /// They belong to one task, or to the region.
    Own(&'static Slot),
    /// They are among what tasks share, and others may change them at any time.
    Shared(Arc<Arena>),
}

/// A check zone that a program has written over: it has violated storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The address of the check zone.
    pub address: usize,
    /// The bytes that stand there now.
    pub found: [u8; CHECK_ZONE.len()],
}

impl fmt::Display for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the check zone at address {:#x} was written over with X'", self.address)?;
        self.found.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        f.write_str("'")
    }
}

impl Area {
    /// A zeroed area of at least one byte.
    ///
    /// # Panics
    /// If the system has no memory left for it.
    pub fn new(length: usize) -> Self {
        let length = length.max(1);
        let slot = Slot::take(length).expect("memory for an area");
        Self { address: slot.address(), length, home: Home::Own(slot) }
    }

    /// An area in a block of an arena that has room for it and its check zones, and that no other area has.
    pub(crate) fn in_block(block: usize, length: usize, arena: Arc<Arena>) -> Self {
        let address = block + CHECK_ZONE.len();
        for zone in [block, address + length] {
            arena.put(zone, &CHECK_ZONE);
        }
        Self { address, length, home: Home::Shared(arena) }
    }

    /// An area with these bytes.
    pub fn with(bytes: &[u8]) -> Self {
        Self::with_room(bytes, bytes.len())
    }

    /// An area of a length that begins with these bytes. All others are zeros, and cost nothing until they are written to.
    ///
    /// # Panics
    /// If there are more bytes than that.
    pub fn with_room(bytes: &[u8], length: usize) -> Self {
        let mut area = Self::new(length);
        area.write(0, bytes);
        area
    }

    /// Returns true if it begins with these bytes and has zeros behind them.
    pub fn has_only(&self, bytes: &[u8]) -> bool {
        let is_it = |all: &[u8]| {
            let (first, others) = all.split_at(bytes.len().min(all.len()));
            let (same, zeros) = bytes.split_at(first.len());
            first == same && zeros.iter().chain(others).all(|byte| *byte == 0)
        };
        match &self.home {
            Home::Own(slot) => slot.with(|content| is_it(content.touched(0))),
            Home::Shared(_) => is_it(&self.to_vec()),
        }
    }

    /// Its address: of the process if tasks share it, else one that only says which area it is.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Never: an area has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A check zone that was written over. `None` if the area is not shared: no program has an address
    /// there.
    #[inline]
    pub fn overlay(&self) -> Option<Overlay> {
        let Home::Shared(arena) = &self.home else { return None };
        [self.address - CHECK_ZONE.len(), self.address + self.length].into_iter().find_map(|address| {
            let mut found = [0; CHECK_ZONE.len()];
            arena.get(address, &mut found);
            (found != CHECK_ZONE).then_some(Overlay { address, found })
        })
    }

    /// Copies bytes out of it.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn read(&self, at: usize, into: &mut [u8]) {
        check(self.length, at, into.len());
        match &self.home {
            Home::Own(slot) => slot.with(|content| fill(into, content.touched(at))),
            Home::Shared(arena) => arena.get(self.address + at, into),
        }
    }

    /// All its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length];
        self.read(0, &mut bytes);
        bytes
    }

    /// Its bytes up to the last one that was written to: all others are zeros.
    pub fn written(&self) -> Vec<u8> {
        match &self.home {
            Home::Own(slot) => slot.with(|content| content.touched(0).to_vec()),
            Home::Shared(_) => self.to_vec(),
        }
    }

    /// Copies bytes into it.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn write(&mut self, at: usize, from: &[u8]) {
        check(self.length, at, from.len());
        match &self.home {
            Home::Own(slot) => assert!(slot.with(|content| content.put(at, from)), "a range within the area"),
            Home::Shared(arena) => arena.put(self.address + at, from),
        }
    }

    /// Makes zeros of all that lies behind a place. Of a long area the system takes the memory.
    ///
    /// # Panics
    /// If the place is not within the area.
    pub fn clear(&mut self, from: usize) {
        let length = self.length - from.min(self.length);
        check(self.length, from, length);
        match &self.home {
            Home::Own(slot) => slot.with(|content| content.clear(from)),
            Home::Shared(_) => self.write(from, &vec![0; length]),
        }
    }
}

impl Arena {
    /// A zeroed area of at least one byte; `None` if there is no room for it.
    pub fn area(self: &Arc<Self>, length: usize) -> Option<Area> {
        let length = length.max(1);
        let block = self.allocate(length.checked_add(CHECK_ZONES)?)?;
        Some(Area::in_block(block, length, Arc::clone(self)))
    }
}

/// Copies from an address that a caller gave. Bytes behind the end of the area that it lies in are zeros.
///
/// # Errors
/// It lies in no area.
pub fn read(address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
    if into.is_empty() {
        return Ok(());
    }
    let copied = private::within(address, |content, at| fill(into, content.touched(at)));
    copied.or_else(|| arena::read(address, into)).ok_or(StorageFault { address })
}

/// The same into bytes that are zeros: those that the area has never had written to are not copied.
///
/// # Errors
/// It lies in no area.
pub fn read_on_zeros(address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
    let copied = private::within(address, |content, at| {
        let touched = content.touched(at);
        let length = touched.len().min(into.len());
        into[..length].copy_from_slice(&touched[..length]);
    });
    if copied.is_some() { Ok(()) } else { read(address, into) }
}

/// A copy of so many bytes from an address on, as an area of its own. Bytes after the end of its area are zeros.
///
/// # Errors
/// It lies in no area.
pub fn copy(address: usize, length: usize) -> Result<Area, StorageFault> {
    let mut copy = Area::new(length);
    let copied = private::within(address, |content, at| {
        let touched = content.touched(at);
        copy.write(0, &touched[..touched.len().min(length)]);
    });
    if copied.is_none() {
        let mut bytes = vec![0; length];
        read(address, &mut bytes)?;
        copy.write(0, &bytes);
    }
    Ok(copy)
}

/// Fills bytes with those that were written to, and zeros.
fn fill(into: &mut [u8], touched: &[u8]) {
    let (first, others) = into.split_at_mut(into.len().min(touched.len()));
    first.copy_from_slice(&touched[..first.len()]);
    others.fill(0);
}

/// Copies to an address of an area of the running task.
///
/// # Errors
/// It lies in no area, or in one that ends before the last of these bytes; nothing is written then.
pub fn write(address: usize, from: &[u8]) -> Result<(), StorageFault> {
    if from.is_empty() {
        return Ok(());
    }
    let written = private::within(address, |content, at| {
        let end = StorageFault { address: address + content.room(at) };
        content.put(at, from).then_some(()).ok_or(end)
    });
    written.or_else(|| arena::write(address, from)).unwrap_or(Err(StorageFault { address }))
}

/// Returns true if so many bytes at an address lie in one area.
pub fn is_whole(address: usize, length: usize) -> bool {
    private::within(address, |content, at| content.room(at))
        .or_else(|| arena::room(address))
        .is_some_and(|room| length <= room)
}

#[inline]
fn check(size: usize, at: usize, length: usize) {
    assert!(at.checked_add(length).is_some_and(|end| end <= size), "a range within the area");
}

impl Drop for Area {
    fn drop(&mut self) {
        match &self.home {
            Home::Own(slot) => slot.give_back(),
            Home::Shared(arena) => arena.release(self.address - CHECK_ZONE.len(), self.length + CHECK_ZONES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_keeps_what_is_written_and_comes_back_zeroed() {
        for length in [1, 40, 48, 49, 4096, 1 << 20, 3 << 20] {
            for _ in 0..3 {
                let mut area = Area::new(length);
                assert!(area.to_vec().iter().all(|b| *b == 0), "{length} bytes, zeroed");
                assert_eq!(area.address() % 16, 0);
                area.write(0, &vec![0xff; length]);
                assert!(area.overlay().is_none() && area.to_vec() == vec![0xff; length]);
            }
        }
    }

    #[test]
    fn what_is_cleared_is_zeros_and_nothing_else_is() {
        for length in [1, 100, 5000, 300_000, 3 << 20] {
            for from in [0, 1, length / 2, length] {
                let mut area = Area::with(&vec![0xff; length]);
                area.clear(from);
                let bytes = area.to_vec();
                assert!(bytes[..from].iter().all(|b| *b == 0xff) && bytes[from..].iter().all(|b| *b == 0));
                assert!(area.overlay().is_none(), "{length} from {from}");
            }
        }
    }

    #[test]
    fn areas_that_another_thread_has_given_back_are_whole_and_free() {
        for round in 1..=3 {
            let areas: Vec<_> = (0..100).map(|_| Area::with(&[round; 100])).collect();
            let given_back = std::thread::spawn(|| drop(areas)).join();
            assert!(given_back.is_ok());
            let areas: Vec<_> = (0..100).map(|n| Area::with(&[n; 100])).collect();
            assert!((0..).zip(&areas).all(|(n, area)| area.overlay().is_none() && area.to_vec() == [n; 100]));
        }
    }

    #[test]
    fn a_length_leads_no_further_than_the_area() {
        for length in [100, 3 << 20] {
            let (area, _other) = (Area::with(&vec![b'A'; length]), Area::with(&vec![b'B'; length]));
            let mut bytes = vec![1; length + 40_000];
            read(area.address() + 40, &mut bytes).expect("storage");
            let (own, others) = bytes.split_at(length - 40);
            assert!(own.iter().all(|byte| *byte == b'A') && others.iter().all(|byte| *byte == 0));
            let written = write(area.address() + 40, &vec![b'C'; length - 39]);
            assert!(written.is_err() && area.to_vec() == vec![b'A'; length] && area.overlay().is_none());
            write(area.address() + 40, b"CC").expect("storage");
            assert_eq!(area.to_vec()[39..43], *b"ACCA");
            assert!(is_whole(area.address(), length) && !is_whole(area.address() + 1, length));
            let address = area.address();
            drop(area);
            assert!(read(address, &mut [0; 8]).is_err(), "it was given back");
            read(address, &mut []).expect("nothing is read");
        }
    }

    #[test]
    fn an_address_of_no_area_is_no_storage() {
        let local = [0_u8; 64];
        for address in [0, 8, 4096, local.as_ptr() as usize, usize::MAX - 8] {
            assert!(read(address, &mut [0; 8]).is_err(), "{address:#x}");
            assert!(write(address, &[0; 8]).is_err(), "{address:#x}");
        }
    }

    #[test]
    fn writing_beside_an_area_is_seen_and_harms_no_other() {
        let arena = Arena::new().expect("addresses");
        for (at, zone) in [(100, 100), (-8, -16)] {
            let mut first = arena.area(100).expect("room");
            let mut second = arena.area(100).expect("room");
            second.write(0, &[7; 100]);
            // As a program might that has its address from before.
            arena.put(first.address().wrapping_add_signed(at), b"XXXXXXXX");
            let overlay = first.overlay().expect("an overlay");
            assert_eq!(overlay.address, first.address().wrapping_add_signed(zone));
            assert!(overlay.to_string().contains("5858585858585858"), "{overlay}");
            assert_eq!((second.overlay(), second.to_vec()), (None, vec![7; 100]));
            first.write(0, &[0; 100]);
        }
    }
}
