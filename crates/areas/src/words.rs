//! Copies into and out of bytes that machine code may change at the same time: by whole words, each read or written at once.
//!
//! A race tears between words, and does no other harm. All of it is of one size, so the copies of two threads never meet in pieces.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// The word that begins at an address.
///
/// # Safety
/// The address is a multiple of a word, of a word of a mapping that stays, and no reference to it exists anywhere.
unsafe fn word(at: usize) -> &'static AtomicU64 {
    // SAFETY: as the caller says.
    unsafe { AtomicU64::from_ptr(at as *mut u64) }
}

/// Copies bytes out.
///
/// # Safety
/// The bytes lie in whole words of a mapping that stays as long as this runs; only machine code and this module touch them.
pub(crate) unsafe fn read(from: usize, into: &mut [u8]) {
    let skip = from % WORD;
    let head = if skip == 0 { 0 } else { (WORD - skip).min(into.len()) };
    let (first, rest) = into.split_at_mut(head);
    if head > 0 {
        // SAFETY: as the caller says.
        let bytes = unsafe { word(from - skip) }.load(Ordering::Relaxed).to_ne_bytes();
        first.copy_from_slice(&bytes[skip..skip + head]);
    }
    let mut at = from + head;
    let mut words = rest.chunks_exact_mut(WORD);
    for own in &mut words {
        // SAFETY: as the caller says.
        own.copy_from_slice(&unsafe { word(at) }.load(Ordering::Relaxed).to_ne_bytes());
        at += WORD;
    }
    let last = words.into_remainder();
    if !last.is_empty() {
        // SAFETY: as the caller says.
        let bytes = unsafe { word(at) }.load(Ordering::Relaxed).to_ne_bytes();
        last.copy_from_slice(&bytes[..last.len()]);
    }
    // What was written before a byte that this has seen is seen by what follows.
    fence(Ordering::Acquire);
}

/// Copies bytes in. Those beside them stay as they are, also where somebody changes them meanwhile.
///
/// # Safety
/// As of [`read`].
pub(crate) unsafe fn write(to: usize, from: &[u8]) {
    fence(Ordering::Release);
    let skip = to % WORD;
    let head = if skip == 0 { 0 } else { (WORD - skip).min(from.len()) };
    let (first, rest) = from.split_at(head);
    if head > 0 {
        // SAFETY: as the caller says.
        put(unsafe { word(to - skip) }, skip, first);
    }
    let mut at = to + head;
    let words = rest.chunks_exact(WORD);
    let last = words.remainder();
    for own in words {
        let bytes = own.try_into().unwrap_or_default();
        // SAFETY: as the caller says.
        unsafe { word(at) }.store(u64::from_ne_bytes(bytes), Ordering::Relaxed);
        at += WORD;
    }
    if !last.is_empty() {
        // SAFETY: as the caller says.
        put(unsafe { word(at) }, 0, last);
    }
}

/// Makes zeros of whole words.
///
/// # Safety
/// As of [`read`]; both numbers are multiples of a word.
pub(crate) unsafe fn clear(from: usize, length: usize) {
    for at in (from..from + length).step_by(WORD) {
        // SAFETY: as the caller says.
        unsafe { word(at) }.store(0, Ordering::Relaxed);
    }
}

/// Some bytes of a word become others.
fn put(word: &AtomicU64, at: usize, bytes: &[u8]) {
    let with = |before: u64| {
        let mut all = before.to_ne_bytes();
        all[at..at + bytes.len()].copy_from_slice(bytes);
        Some(u64::from_ne_bytes(all))
    };
    // It always gives another word, so it never fails.
    let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_of_the_bytes_and_nothing_beside_them() {
        for from in 0..17 {
            for length in 0..40 {
                let mut words = [0xEEEE_EEEE_EEEE_EEEE_u64; 8];
                let at = words.as_mut_ptr().expose_provenance();
                let bytes: Vec<u8> = (1..=length).collect();
                // SAFETY: within the words, which nobody else has.
                unsafe { write(at + from, &bytes) };
                let mut back = vec![0; bytes.len()];
                // SAFETY: the same.
                unsafe { read(at + from, &mut back) };
                assert_eq!(back, bytes, "{from} {length}");
                let all: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
                let end = from + bytes.len();
                assert_eq!(&all[from..end], bytes);
                assert!(all[..from].iter().chain(&all[end..]).all(|byte| *byte == 0xEE), "{from} {length}");
            }
        }
    }

    #[test]
    fn bytes_beside_those_of_another_thread_stay() {
        let words = std::sync::Arc::new([const { AtomicU64::new(0) }; 2]);
        let at = words.as_ptr().expose_provenance();
        let writes = |place: usize| {
            let words = std::sync::Arc::clone(&words);
            std::thread::spawn(move || {
                for turn in 0..20_000_u32 {
                    // SAFETY: within the words, which live as long as the thread, and which only this module touches.
                    unsafe { write(at + place, &[turn as u8; 3]) };
                    let mut back = [0; 3];
                    // SAFETY: the same.
                    unsafe { read(at + place, &mut back) };
                    assert_eq!(back, [turn as u8; 3]);
                }
                drop(words);
            })
        };
        let both = [writes(3), writes(6)];
        assert!(both.into_iter().all(|thread| thread.join().is_ok()));
    }
}
