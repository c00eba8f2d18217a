//! Parts of a region that domains keep: one value of each type, found by its type.
//!
//! The region knows none of these types. A domain puts its own there when the region starts, and finds it again by
//! `Type::of(region)`; so a domain may live in another crate.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The parts of one region. They are all there before its first task, and stay as long as the region.
#[derive(Default)]
pub struct Parts(HashMap<TypeId, Box<dyn Any + Send + Sync>, BuildHasherDefault<Digest>>);

impl Parts {
    /// Puts a part there.
    ///
    /// # Panics
    /// If there is one of its type: two domains would change each other's.
    pub fn put<T: Any + Send + Sync>(&mut self, part: T) {
        let before = self.0.insert(TypeId::of::<T>(), Box::new(part));
        assert!(before.is_none(), "two parts of type {}", type_name::<T>());
    }

    /// The part of a type.
    ///
    /// # Panics
    /// If there is none: its domain is not among those that the region was started with.
    #[inline]
    pub fn get<T: Any + Send + Sync>(&self) -> &T {
        let part = self.0.get(&TypeId::of::<T>()).and_then(|part| part.downcast_ref());
        part.unwrap_or_else(|| panic!("the region has no part of type {}", type_name::<T>()))
    }
}

/// A type's identity is a digest already: its own bits are the hash.
#[derive(Default)]
struct Digest(u64);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

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
