//! An area: its bytes, its address, its check zones.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::arena::{self, Arena};
use crate::error::StorageFault;
use crate::{blocks, words};

/// Storage with a stable address, zeroed at first.
///
/// Machine code of programs may write to it at any time, so it is only ever copied in and out.
#[derive(Debug)]
pub struct Area {
    start: usize,
    length: usize,
    /// The arena that it lies in, if tasks share it.
    home: Option<Arc<Arena>>,
}

/// What stands in front of every area and behind it.
pub(crate) const CHECK_ZONE: [u8; 16] = *b"\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87CHECKZON";

/// A check zone that a program has written over: it has violated storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// Where the check zone lies.
    pub address: usize,
    /// What stands there now.
    pub found: [u8; CHECK_ZONE.len()],
}

impl fmt::Display for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the check zone at address {:#x} was written over with X'", self.address)?;
        self.found.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
        f.write_str("'")
    }
}

/// What stands in a check zone, if it is no check zone any more.
///
/// # Safety
/// A check zone was written there, and nobody has given its block back.
unsafe fn check_zone(address: usize, bytes: Bytes) -> Option<Overlay> {
    let mut found = [0; CHECK_ZONE.len()];
    // SAFETY: as the caller says.
    unsafe { bytes.read(address, &mut found) };
    (found != CHECK_ZONE).then_some(Overlay { address, found })
}

/// Bytes of both check zones of an area.
pub(crate) const CHECK_ZONES: usize = 2 * CHECK_ZONE.len();

impl Area {
    /// A zeroed area of at least one byte.
    ///
    /// # Panics
    /// If the system has no memory left for it.
    pub fn new(length: usize) -> Self {
        let length = length.max(1);
        let block = blocks::allocate(length + CHECK_ZONES).expect("memory for an area");
        Self::in_block(block, length, None)
    }

    /// An area in a block that has room for it and its check zones, and that nobody else has.
    pub(crate) fn in_block(block: usize, length: usize, home: Option<Arc<Arena>>) -> Self {
        let area = Self { start: block + CHECK_ZONE.len(), length, home };
        for zone in [block, area.start + length] {
            // SAFETY: within the block.
            unsafe { area.bytes().write(zone, &CHECK_ZONE) };
        }
        area
    }

    /// The way to its bytes.
    #[inline]
    fn bytes(&self) -> Bytes {
        if self.home.is_some() { Bytes::Shared } else { Bytes::Own }
    }

    /// An area with these bytes.
    pub fn with(bytes: &[u8]) -> Self {
        let mut area = Self::new(bytes.len());
        area.write(0, bytes);
        area
    }

    /// Its address, as a program sees it.
    pub fn address(&self) -> usize {
        self.start
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Never: an area has at least one byte.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// What was written in front of it or behind it, if something was.
    #[inline]
    pub fn overlay(&self) -> Option<Overlay> {
        // SAFETY: both check zones lie in the area's block.
        let check = |zone| unsafe { check_zone(zone, self.bytes()) };
        check(self.start - CHECK_ZONE.len()).or_else(|| check(self.start + self.length))
    }

    /// Copies bytes out of it.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn read(&self, at: usize, into: &mut [u8]) {
        check(self.length, at, into.len());
        // SAFETY: the range is within the area, and no reference to it exists anywhere.
        unsafe { self.bytes().read(self.start + at, into) }
    }

    /// All its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length];
        self.read(0, &mut bytes);
        bytes
    }

    /// Copies bytes into it.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn write(&mut self, at: usize, bytes: &[u8]) {
        self.writer().write(at, bytes);
    }

    /// Makes zeros of all that lies behind a place. Of a long area the system takes the memory.
    ///
    /// # Panics
    /// If the place is not within the area.
    pub fn clear(&mut self, from: usize) {
        let length = self.length - from.min(self.length);
        check(self.length, from, length);
        if self.home.is_some() {
            return self.write(from, &vec![0; length]);
        }
        // SAFETY: the range is within the area, and no reference to it exists anywhere.
        unsafe { blocks::clear(self.start + from, length) };
    }

    /// For several writes in a row, whose ranges are then checked together.
    #[inline]
    pub fn writer(&mut self) -> Writer<'_> {
        Writer { start: self.start, length: self.length, bytes: self.bytes(), area: PhantomData }
    }
}

/// The way to bytes.
#[derive(Clone, Copy)]
enum Bytes {
    /// They are a task's: nobody else has them meanwhile.
    Own,
    /// Others may change them at any time.
    Shared,
}

impl Bytes {
    /// Copies bytes out.
    ///
    /// # Safety
    /// The bytes lie in a block, and no reference to them exists anywhere.
    #[inline]
    unsafe fn read(self, from: usize, into: &mut [u8]) {
        match self {
            // SAFETY: as the caller says.
            Self::Own => unsafe { (from as *const u8).copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) },
            // SAFETY: as the caller says; blocks are whole words.
            Self::Shared => unsafe { words::read(from, into) },
        }
    }

    /// Copies bytes in.
    ///
    /// # Safety
    /// As of [`Self::read`].
    #[inline]
    unsafe fn write(self, to: usize, from: &[u8]) {
        match self {
            // SAFETY: as the caller says.
            Self::Own => unsafe { (to as *mut u8).copy_from_nonoverlapping(from.as_ptr(), from.len()) },
            // SAFETY: as the caller says; blocks are whole words.
            Self::Shared => unsafe { words::write(to, from) },
        }
    }
}

/// Writes to an area.
pub struct Writer<'a> {
    start: usize,
    length: usize,
    bytes: Bytes,
    area: PhantomData<&'a mut Area>,
}

impl Writer<'_> {
    /// Copies bytes into the area.
    ///
    /// # Panics
    /// If the range is not within the area.
    #[inline]
    pub fn write(&self, at: usize, bytes: &[u8]) {
        check(self.length, at, bytes.len());
        // SAFETY: the range is within the area, and no reference to it exists anywhere.
        unsafe { self.bytes.write(self.start + at, bytes) }
    }
}

/// Copies from an address that somebody gave. Bytes behind the end of the area that it lies in are zeros.
///
/// # Errors
/// It lies in no area.
pub fn read(address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
    if into.is_empty() {
        return Ok(());
    }
    within(address, |end| {
        let (own, others) = into.split_at_mut(into.len().min(end - address));
        others.fill(0);
        // SAFETY: the bytes lie in an area, which stays mapped meanwhile; blocks are whole words.
        unsafe { words::read(address, own) };
    })
    .ok_or(StorageFault { address })
}

/// Copies to an address of an area of the running task.
///
/// # Errors
/// It lies in no area, or in one that ends before the last of these bytes; nothing is written then.
pub fn write(address: usize, from: &[u8]) -> Result<(), StorageFault> {
    if from.is_empty() {
        return Ok(());
    }
    let written = within(address, |end| {
        let fits = end - address >= from.len();
        if fits {
            // SAFETY: as above.
            unsafe { words::write(address, from) };
        }
        if fits { Ok(()) } else { Err(StorageFault { address: end }) }
    });
    written.unwrap_or(Err(StorageFault { address }))
}

/// Returns true if so many bytes at an address lie in one area.
pub fn is_whole(address: usize, length: usize) -> bool {
    within(address, |end| length <= end - address) == Some(true)
}

/// Does something with the end of the area that an address lies in; `None` if it lies in none. The area stays mapped meanwhile.
fn within<T>(address: usize, what: impl FnOnce(usize) -> T) -> Option<T> {
    let margin = CHECK_ZONE.len();
    let element = match blocks::element(address, margin) {
        blocks::Element::Elsewhere => arena::element(address, margin),
        element => element,
    };
    match element {
        blocks::Element::Elsewhere => blocks::within_long(address, margin, what),
        blocks::Element::Until(end) => Some(what(end)),
        blocks::Element::Nobodys => None,
    }
}

#[inline]
fn check(size: usize, at: usize, length: usize) {
    assert!(at.checked_add(length).is_some_and(|end| end <= size), "a range within the area");
}

impl Drop for Area {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            return home.release(self.start - CHECK_ZONE.len(), self.length + CHECK_ZONES);
        }
        let is_whole = self.overlay().is_none();
        blocks::release(self.start - CHECK_ZONE.len(), self.length + CHECK_ZONES, is_whole);
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
    fn areas_that_another_thread_has_given_back_are_whole_and_nobody_elses() {
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
        for (at, zone) in [(100, 100), (-8, -16)] {
            let (first, second) = (Area::new(100), Area::with(&[7; 100]));
            // SAFETY: within the block: what a program might do.
            unsafe { (first.address() as *mut u8).offset(at).write_bytes(b'X', 8) };
            let overlay = first.overlay().expect("an overlay");
            assert_eq!(overlay.address, first.address().wrapping_add_signed(zone));
            assert!(overlay.to_string().contains("5858585858585858"), "{overlay}");
            assert_eq!((second.overlay(), second.to_vec()), (None, vec![7; 100]));
        }
    }
}
