//! The bytes that a segment has at the beginning: as runs where the same bytes come again and again, so that a large table costs
//! what is in it, and not its size.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Bytes that come again and again are kept once where they are at least so many.
const RUN_MIN: usize = 4096;
/// The longest pattern that comes again: an element of a table.
const PATTERN_MAX: usize = 32 << 10;
/// The bytes by which a pattern is looked for.
const PROBE: usize = 16;

/// Bytes that are compared at a time.
const BLOCK: usize = 4096;

/// The bytes of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    length: u32,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Piece {
    /// Bytes as they lie.
    Plain(Vec<u8>),
    /// So many bytes, in which a pattern comes again; the last time it may be cut off.
    Repeated(Vec<u8>, u32),
}

impl Piece {
    fn length(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Repeated(_, length) => *length as usize,
        }
    }

    fn write(&self, into: &mut [u8]) {
        match self {
            Self::Plain(bytes) => into.copy_from_slice(bytes),
            Self::Repeated(pattern, _) => match pattern.as_slice() {
                [byte] => into.fill(*byte),
                pattern => {
                    let mut done = pattern.len().min(into.len());
                    into[..done].copy_from_slice(&pattern[..done]);
                    // What is there is doubled.
                    while done < into.len() {
                        let more = done.min(into.len() - done);
                        let (from, to) = into.split_at_mut(done);
                        to[..more].copy_from_slice(&from[..more]);
                        done += more;
                    }
                }
            },
        }
    }

    /// Writes its bytes from a place on.
    fn write_from(&self, from: usize, into: &mut [u8]) {
        match self {
            Self::Plain(bytes) => into.copy_from_slice(&bytes[from..from + into.len()]),
            Self::Repeated(pattern, _) => {
                let bytes = pattern.iter().cycle().skip(from % pattern.len());
                into.iter_mut().zip(bytes).for_each(|(into, byte)| *into = *byte);
            }
        }
    }

    fn is_zeros(&self) -> bool {
        matches!(self, Self::Repeated(pattern, _) if pattern.as_slice() == [0])
    }
}

impl From<Vec<u8>> for Template {
    fn from(bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u32;
        Self { length, pieces: if bytes.is_empty() { Vec::new() } else { vec![Piece::Plain(bytes)] } }
    }
}

impl Template {
    /// Makes one of bytes, with runs.
    pub fn of(bytes: &[u8]) -> Self {
        let mut pieces = Vec::new();
        let (mut plain, mut at) = (0, 0);
        while bytes.len() - at >= RUN_MIN {
            let run = period(&bytes[at..]).map(|period| (period, repeated(&bytes[at..], period)));
            let Some((period, length)) = run.filter(|(period, length)| *length >= RUN_MIN.max(2 * period))
            else {
                at += RUN_MIN / 2;
                continue;
            };
            if plain < at {
                pieces.push(Piece::Plain(bytes[plain..at].to_vec()));
            }
            pieces.push(Piece::Repeated(bytes[at..at + period].to_vec(), length as u32));
            at += length;
            plain = at;
        }
        if plain < bytes.len() {
            pieces.push(Piece::Plain(bytes[plain..].to_vec()));
        }
        Self { length: bytes.len() as u32, pieces }
    }

    /// Returns the number of its bytes.
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// Returns true if it has none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if its pieces have as many bytes as it says, as they do unless its file is damaged.
    pub(crate) fn is_sound(&self) -> bool {
        let is_sound = |piece: &Piece| !matches!(piece, Piece::Repeated(pattern, _) if pattern.is_empty());
        self.pieces.iter().map(Piece::length).sum::<usize>() == self.len() && self.pieces.iter().all(is_sound)
    }

    /// Writes its bytes to as many others.
    #[inline]
    pub fn write(&self, into: &mut [u8]) {
        match self.pieces.as_slice() {
            [Piece::Plain(bytes)] => into.copy_from_slice(bytes),
            _ => self.write_pieces(into, false),
        }
    }

    /// Writes its bytes to as many zeros: long runs of zeros are not touched.
    #[inline]
    pub fn write_on_zeros(&self, into: &mut [u8]) {
        match self.pieces.as_slice() {
            [Piece::Plain(bytes)] => into.copy_from_slice(bytes),
            _ => self.write_pieces(into, true),
        }
    }

    fn write_pieces(&self, into: &mut [u8], on_zeros: bool) {
        let mut rest = into;
        for piece in &self.pieces {
            let (own, behind) = rest.split_at_mut(piece.length());
            if !(on_zeros && piece.is_zeros()) {
                piece.write(own);
            }
            rest = behind;
        }
    }

    /// Writes some of its bytes to as many others.
    ///
    /// # Panics
    /// If it has not got them, or their number is another one.
    pub fn write_part(&self, part: Range<usize>, into: &mut [u8]) {
        assert!(part.end <= self.len() && part.len() == into.len());
        let (mut begins, mut into, mut from) = (0, into, part.start);
        for piece in &self.pieces {
            let ends = begins + piece.length();
            if from < ends && !into.is_empty() {
                let (own, behind) = into.split_at_mut((ends - from).min(into.len()));
                piece.write_from(from - begins, own);
                from += own.len();
                into = behind;
            }
            begins = ends;
        }
    }

    /// Returns its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        self.write_on_zeros(&mut bytes);
        bytes
    }

    /// Changes its bytes, and their number. A run that it changes is no longer one.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut bytes = match std::mem::take(&mut self.pieces).as_mut_slice() {
            [Piece::Plain(bytes)] => std::mem::take(bytes),
            pieces => {
                let all = Self { length: self.length, pieces: pieces.to_vec() };
                all.to_vec()
            }
        };
        let changed = change(&mut bytes);
        *self = bytes.into();
        changed
    }
}

/// Returns the length of the pattern with which bytes begin to come again, if they do soon.
fn period(bytes: &[u8]) -> Option<usize> {
    let probe = &bytes[..PROBE];
    if probe.iter().all(|byte| *byte == probe[0]) {
        return Some(1);
    }
    let within = &bytes[1..bytes.len().min(PATTERN_MAX + PROBE)];
    within.windows(PROBE).position(|window| window == probe).map(|at| at + 1)
}

/// Returns the number of bytes from the beginning on in which a pattern of this length comes again.
fn repeated(bytes: &[u8], period: usize) -> usize {
    let later = &bytes[period..];
    let first = &bytes[..later.len()];
    let blocks = first.chunks(BLOCK).zip(later.chunks(BLOCK)).take_while(|(first, later)| first == later);
    let at = (blocks.count() * BLOCK).min(later.len());
    let rest = first[at..].iter().zip(&later[at..]).take_while(|(first, later)| first == later).count();
    at + rest + period
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes in which nothing comes again soon.
    fn wild(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    fn kept(template: &Template) -> usize {
        template
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Plain(bytes) => bytes.len(),
                Piece::Repeated(pattern, _) => pattern.len(),
            })
            .sum()
    }

    #[test]
    fn bytes_come_back_as_they_were_and_runs_cost_their_pattern() {
        let element = [&b"NAME      "[..], &[0, 0, 0x0C], &wild(100)].concat();
        let table = element.repeat(5000);
        for (bytes, kept_max) in [
            (Vec::new(), 0),
            (b"short".to_vec(), 5),
            (wild(50_000), 50_000),
            (vec![0; 40_000_000], 1),
            ([b"HEAD".to_vec(), vec![b' '; 1_000_000], b"END".to_vec()].concat(), RUN_MIN + 8),
            ([wild(777), table.clone(), wild(99)].concat(), 777 + 99 + 2 * element.len() + RUN_MIN),
            ([table.clone(), vec![0; 9000], table, b"X".to_vec()].concat(), 8 * RUN_MIN),
            ([vec![b'A'; RUN_MIN - 1], vec![b'B'; RUN_MIN + 1]].concat(), RUN_MIN + RUN_MIN / 2),
        ] {
            let template = Template::of(&bytes);
            assert!(template.is_sound() && template.len() == bytes.len());
            assert!(template.to_vec() == bytes, "{} bytes differ", bytes.len());
            let mut over = vec![0xFF; bytes.len()];
            template.write(&mut over);
            assert!(over == bytes, "{} bytes differ", bytes.len());
            assert!(kept(&template) <= kept_max, "{} are kept of {}", kept(&template), bytes.len());
            for part in [0..0, 0..bytes.len(), bytes.len() / 3..bytes.len() / 2, bytes.len() / 7..bytes.len()]
            {
                let mut over = vec![0xFF; part.len()];
                template.write_part(part.clone(), &mut over);
                assert!(over == bytes[part.clone()], "{part:?} of {} bytes differ", bytes.len());
            }
        }
    }

    #[test]
    fn what_is_changed_is_kept() {
        let mut template = Template::of(&vec![0; 10_000]);
        template.change(|bytes| {
            bytes[9999] = 1;
            bytes.push(2);
        });
        assert_eq!((template.len(), template.to_vec()[9999..].to_vec()), (10_001, vec![1, 2]));
    }

    #[test]
    fn pieces_that_are_no_template_are_found() {
        let template = |length, piece| Template { length, pieces: vec![piece] };
        assert!(!template(5, Piece::Plain(vec![0; 4])).is_sound());
        assert!(!template(5, Piece::Repeated(Vec::new(), 5)).is_sound());
        assert!(template(5, Piece::Repeated(vec![1], 5)).is_sound());
    }
}
