//! The characters of INSPECT, STRING and UNSTRING: a byte, two of them, or one of UTF-8 by its number.

use std::collections::HashMap;
use std::hash::Hash;

use memchr::memmem;

/// A character: one byte, a national one, or one of UTF-8 by its number.
pub trait Character: Copy + Eq {
    /// Finds the first of some characters in others. An empty search finds nothing.
    fn find(text: &[Self], wanted: &[Self]) -> Option<usize>;

    /// The same for many texts.
    fn finder(wanted: &[Self]) -> impl Fn(&[Self]) -> Option<usize>;

    /// Returns the replacement of each character: one of `from` becomes the one of `to` at its place; the first of
    /// several equal ones counts, and a `to` that is shorter is repeated.
    fn converter(from: &[Self], to: &[Self]) -> impl Fn(Self) -> Self;
}

impl Character for u8 {
    fn find(text: &[Self], wanted: &[Self]) -> Option<usize> {
        match wanted {
            [] => None,
            [one] => memchr::memchr(*one, text),
            several => memmem::find(text, several),
        }
    }

    fn finder(wanted: &[Self]) -> impl Fn(&[Self]) -> Option<usize> {
        let finder = Finder::new(wanted);
        move |text| finder.find(text)
    }

    fn converter(from: &[Self], to: &[Self]) -> impl Fn(Self) -> Self {
        let mut map: [Self; 256] = std::array::from_fn(|byte| byte as Self);
        let mut seen = [false; 256];
        for (from, to) in from.iter().zip(to.iter().cycle()) {
            let at = usize::from(*from);
            if !seen[at] {
                (seen[at], map[at]) = (true, *to);
            }
        }
        move |byte| map[usize::from(byte)]
    }
}

impl Character for u16 {
    fn find(text: &[Self], wanted: &[Self]) -> Option<usize> {
        unit_finder(wanted)(text)
    }

    fn finder(wanted: &[Self]) -> impl Fn(&[Self]) -> Option<usize> {
        unit_finder(wanted)
    }

    fn converter(from: &[Self], to: &[Self]) -> impl Fn(Self) -> Self {
        unit_converter(from, to)
    }
}

impl Character for u32 {
    fn find(text: &[Self], wanted: &[Self]) -> Option<usize> {
        unit_finder(wanted)(text)
    }

    fn finder(wanted: &[Self]) -> impl Fn(&[Self]) -> Option<usize> {
        unit_finder(wanted)
    }

    fn converter(from: &[Self], to: &[Self]) -> impl Fn(Self) -> Self {
        unit_converter(from, to)
    }
}

/// By the method of Knuth, Morris and Pratt: no text makes it slow.
fn unit_finder<T: Copy + Eq>(wanted: &[T]) -> impl Fn(&[T]) -> Option<usize> {
    let known = prefixes(wanted);
    move |text| {
        let mut matched = 0;
        for (at, unit) in text.iter().enumerate() {
            while matched > 0 && wanted[matched] != *unit {
                matched = known[matched - 1];
            }
            matched += usize::from(wanted.get(matched) == Some(unit));
            if matched == wanted.len() && matched > 0 {
                return Some(at + 1 - matched);
            }
        }
        None
    }
}

fn unit_converter<T: Copy + Eq + Hash>(from: &[T], to: &[T]) -> impl Fn(T) -> T + use<T> {
    let mut map = HashMap::new();
    for (from, to) in from.iter().zip(to.iter().cycle()) {
        map.entry(*from).or_insert(*to);
    }
    move |unit| map.get(&unit).copied().unwrap_or(unit)
}

/// Finds the comparand of a phrase that is alone: nearly every INSPECT has one, and mostly one character.
#[allow(clippy::large_enum_variant, reason = "it lies on the stack, one for a statement")]
enum Finder<'a> {
    /// An empty one, which is nowhere.
    Nothing,
    One(u8),
    Several(memmem::Finder<'a>),
}

impl<'a> Finder<'a> {
    fn new(comparand: &'a [u8]) -> Self {
        match comparand {
            [] => Self::Nothing,
            [one] => Self::One(*one),
            several => Self::Several(memmem::Finder::new(several)),
        }
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Nothing => None,
            Self::One(one) => memchr::memchr(*one, text),
            Self::Several(finder) => finder.find(text),
        }
    }
}

/// Returns, for each beginning of some characters, the number of its last ones that are its first ones.
fn prefixes<T: Eq>(wanted: &[T]) -> Vec<usize> {
    let mut known = vec![0; wanted.len()];
    let mut matched = 0;
    for at in 1..wanted.len() {
        while matched > 0 && wanted[matched] != wanted[at] {
            matched = known[matched - 1];
        }
        matched += usize::from(wanted[matched] == wanted[at]);
        known[at] = matched;
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn national_characters_are_found_where_bytes_are() {
        let random = &mut fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let text: Vec<u8> = (0..random.usize(..30)).map(|_| random.u8(..2)).collect();
            let wanted: Vec<u8> = (0..random.usize(..5)).map(|_| random.u8(..2)).collect();
            let wide = |bytes: &[u8]| bytes.iter().map(|byte| u16::from(*byte)).collect::<Vec<u16>>();
            assert_eq!(
                u16::find(&wide(&text), &wide(&wanted)),
                u8::find(&text, &wanted),
                "{wanted:?} in {text:?}"
            );
        }
    }

    #[test]
    fn of_equal_characters_the_first_counts() {
        let turned = u16::converter(&[1, 2, 1], &[7, 8, 9]);
        assert_eq!([1, 2, 3].map(turned), [7, 8, 3]);
    }
}
