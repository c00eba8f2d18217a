//! Parts of a region that domains keep: one value of each type, found by its type.
//!
//! The region knows none of these types. A domain puts its own there when the region starts, and finds it again by
//! `Type::of(region)`; so a domain may live in another crate.

use std::any::{Any, TypeId, type_name};
use std::hash::{Hash, Hasher};

/// The parts of one region. They are all there before its first task, and stay as long as the region.
///
/// A table with open addresses that is never more than half full: a look mostly compares one type.
#[derive(Default)]
pub struct Parts {
    places: Vec<Option<(TypeId, Box<dyn Any + Send + Sync>)>>,
    count: usize,
}

/// Places of a table that has parts: a power of two.
const PLACES_MIN: usize = 64;

impl Parts {
    /// Puts a part there.
    ///
    /// # Panics
    /// If there is one of its type: two domains would change each other's.
    pub fn put<T: Any + Send + Sync>(&mut self, part: T) {
        self.add(TypeId::of::<T>(), type_name::<T>(), Box::new(part));
    }

    fn add(&mut self, kind: TypeId, name: &str, part: Box<dyn Any + Send + Sync>) {
        if 2 * (self.count + 1) > self.places.len() {
            let places = (2 * self.places.len()).max(PLACES_MIN);
            let before = std::mem::take(&mut self.places);
            self.places.resize_with(places, || None);
            for (kind, part) in before.into_iter().flatten() {
                let place = self.place(kind);
                self.places[place] = Some((kind, part));
            }
        }
        let place = self.place(kind);
        assert!(self.places[place].is_none(), "two parts of type {name}");
        self.places[place] = Some((kind, part));
        self.count += 1;
    }

    /// The place of a type, or the empty one where it would stand.
    #[inline(always)]
    fn place(&self, kind: TypeId) -> usize {
        let mask = self.places.len().wrapping_sub(1);
        let mut place = digest(kind) & mask;
        while let Some(Some((other, _))) = self.places.get(place)
            && *other != kind
        {
            place = (place + 1) & mask;
        }
        place
    }

    /// The part of a type.
    ///
    /// # Panics
    /// If there is none: its domain is not among those that the region was started with.
    #[inline]
    pub fn get<T: Any + Send + Sync>(&self) -> &T {
        let part = self.places.get(self.place(TypeId::of::<T>())).and_then(Option::as_ref);
        let part = part.and_then(|(_, part)| part.downcast_ref());
        part.unwrap_or_else(|| panic!("the region has no part of type {}", type_name::<T>()))
    }
}

/// The bits of a type's identity, which is a digest already.
#[inline(always)]
fn digest(kind: TypeId) -> usize {
    let mut digest = Digest(0);
    kind.hash(&mut digest);
    digest.0 as usize
}

struct Digest(u64);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    #[inline(always)]
    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn a_part_is_found_by_its_type() {
        let mut parts = Parts::default();
        parts.put(7u32);
        parts.put(String::from("queues"));
        assert_eq!((*parts.get::<u32>(), parts.get::<String>().as_str()), (7, "queues"));
    }

    #[test]
    #[should_panic = "two parts of type u32"]
    fn two_of_one_type_are_a_mistake() {
        let mut parts = Parts::default();
        parts.put(7u32);
        parts.put(8u32);
    }
}
