//! Copies into and out of bytes that machine code may change at the same time: by whole words, each read or written at once.
//!
//! A race tears between words, and does no other harm. All of it is of one size, so the copies of two threads never meet in pieces.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Bytes of a word.
pub(crate) const WORD: usize = size_of::<u64>();

/// Copies bytes out, from so many behind the beginning of the words on, fewer than a word; the words end behind them.
#[inline]
pub(crate) fn read(from: &[AtomicU64], skip: usize, into: &mut [u8]) {
    if let [word] = from {
        let mut rest = in_order(word.load(Ordering::Relaxed)) >> (8 * skip);
        for byte in into {
            (*byte, rest) = (rest as u8, rest >> 8);
        }
        // As below.
        return fence(Ordering::Acquire);
    }
    read_words(from, skip, into);
}

fn read_words(from: &[AtomicU64], skip: usize, into: &mut [u8]) {
    let mut words = from.iter();
    let mut next = || words.next().map_or(0, |word| word.load(Ordering::Relaxed)).to_ne_bytes();
    let head = if skip == 0 { 0 } else { (WORD - skip).min(into.len()) };
    let (first, rest) = into.split_at_mut(head);
    if head > 0 {
        first.copy_from_slice(&next()[skip..skip + head]);
    }
    let (whole, last) = rest.as_chunks_mut::<WORD>();
    for own in whole {
        *own = next();
    }
    if !last.is_empty() {
        last.copy_from_slice(&next()[..last.len()]);
    }
    // What was written before a byte that this has seen is seen by what follows.
    fence(Ordering::Acquire);
}

/// Copies bytes in, as [`read`] copies them out. Those beside them stay as they are, also if another thread changes them meanwhile.
#[inline]
pub(crate) fn write(to: &[AtomicU64], skip: usize, from: &[u8]) {
    fence(Ordering::Release);
    match to {
        [word] if from.len() < WORD => put(word, skip, from),
        _ => write_words(to, skip, from),
    }
}

fn write_words(to: &[AtomicU64], skip: usize, from: &[u8]) {
    let mut words = to.iter();
    let head = if skip == 0 { 0 } else { (WORD - skip).min(from.len()) };
    let (first, rest) = from.split_at(head);
    if head > 0 {
        words.by_ref().take(1).for_each(|word| put(word, skip, first));
    }
    let (whole, last) = rest.as_chunks::<WORD>();
    for (own, word) in whole.iter().zip(words.by_ref()) {
        word.store(u64::from_ne_bytes(*own), Ordering::Relaxed);
    }
    if !last.is_empty() {
        words.by_ref().take(1).for_each(|word| put(word, 0, last));
    }
}

/// Makes zeros of words.
pub(crate) fn clear(words: &[AtomicU64]) {
    words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
}

/// A word whose lowest byte is its first one, of one as it lies in storage; or the other way round.
#[inline(always)]
fn in_order(word: u64) -> u64 {
    u64::from_le(word)
}

/// Some bytes of a word become others: fewer than it has.
#[inline]
fn put(word: &AtomicU64, at: usize, bytes: &[u8]) {
    let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)) << (8 * at);
    let kept = !(((1 << (8 * bytes.len())) - 1) << (8 * at));
    let with = |before| Some(in_order(in_order(before) & kept | value));
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
                let words = [const { AtomicU64::new(0xEEEE_EEEE_EEEE_EEEE) }; 8];
                let bytes: Vec<u8> = (1..=length).collect();
                write(&words[from / WORD..], from % WORD, &bytes);
                let mut back = vec![0; bytes.len()];
                read(&words[from / WORD..], from % WORD, &mut back);
                assert_eq!(back, bytes, "{from} {length}");
                let all: Vec<u8> =
                    words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
                let end = from + bytes.len();
                assert_eq!(&all[from..end], bytes);
                assert!(all[..from].iter().chain(&all[end..]).all(|byte| *byte == 0xEE), "{from} {length}");
            }
        }
    }

    #[test]
    fn bytes_beside_those_of_another_thread_stay() {
        let words = std::sync::Arc::new([const { AtomicU64::new(0) }; 2]);
        let writes = |place: usize| {
            let words = std::sync::Arc::clone(&words);
            std::thread::spawn(move || {
                for turn in 0..20_000_u32 {
                    write(&words[place / WORD..], place % WORD, &[turn as u8; 3]);
                    let mut back = [0; 3];
                    read(&words[place / WORD..], place % WORD, &mut back);
                    assert_eq!(back, [turn as u8; 3]);
                }
            })
        };
        let both = [writes(3), writes(6)];
        assert!(both.into_iter().all(|thread| thread.join().is_ok()));
    }
}
