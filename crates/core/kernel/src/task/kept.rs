//! State of domains and services for a task: one value of each type, found by its type.
//!
//! The task knows none of these types, as the region knows none of its [`crate::parts::Parts`].

use std::any::{Any, TypeId};

use smallvec::SmallVec;

use crate::raise::AbendCode;
use crate::recovery::{EndsWithUnit, UnitOfWork, UntilOver};
use crate::storage::LeftStorage;

/// State of a domain or a service for a task. It may come with the task's attach, and is dropped with the task; one
/// that is lost by a failure of the region's own code hears of nothing and is dropped.
pub trait TaskPart: Any + Send + Sync {
    /// Hears that the task does not begin. True: the one who waits for it knows now, and nothing else need be done.
    fn refused(&mut self) -> bool {
        false
    }

    /// The task begins, with its first unit of work.
    fn begins(&mut self, _: &mut UnitOfWork) {}

    /// The task has ended, normally or with this abend, whose reason may be known. When the part is dropped, the task's locks
    /// and its storage are gone.
    fn task_ends(&mut self, _abend: Option<AbendCode>, _reason: Option<&str>) {}

    /// The task has ended, and this is the storage that its programs leave. It comes in front of
    /// [`Self::task_ends`].
    fn leaves(&mut self, _: &LeftStorage<'_>) {}

    /// Returns true if it holds something that ends with the unit of work, beside changes and locks.
    fn is_holding(&self) -> bool {
        false
    }

    /// The unit of work ends: what is to be dropped when its changes are committed or backed out.
    fn unit_ends(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }
}

/// One part of each type, beside what type it is; all are dropped with the task.
#[derive(Default)]
pub struct KeptParts(SmallVec<[(TypeId, Box<dyn TaskPart>); 2]>);

impl KeptParts {
    /// The part of a type, if there is one.
    pub fn get<T: TaskPart>(&self) -> Option<&T> {
        let (_, part) = self.0.iter().find(|(kind, _)| *kind == TypeId::of::<T>())?;
        (&**part as &dyn Any).downcast_ref()
    }

    /// The part of a type, if there is one.
    pub fn get_mut<T: TaskPart>(&mut self) -> Option<&mut T> {
        let (_, part) = self.0.iter_mut().find(|(kind, _)| *kind == TypeId::of::<T>())?;
        (&mut **part as &mut dyn Any).downcast_mut()
    }

    /// The part of a type, made when it is first asked for.
    #[inline]
    pub fn part<T: TaskPart + Default>(&mut self) -> &mut T {
        self.get_or_insert_with(T::default)
    }

    /// The part of a type, made when it is first asked for.
    pub fn get_or_insert_with<T: TaskPart>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        let wanted = TypeId::of::<T>();
        let place = self.0.iter().position(|(kind, _)| *kind == wanted).unwrap_or_else(|| {
            self.0.push((wanted, Box::new(make())));
            self.0.len() - 1
        });
        let part = &mut *self.0.as_mut_slice()[place].1 as &mut dyn Any;
        part.downcast_mut().unwrap_or_else(|| unreachable!("a part of this type stands there"))
    }

    /// Puts a part there, in the place of one of its type.
    pub fn put<T: TaskPart>(&mut self, part: T) {
        drop(self.take::<T>());
        self.0.push((TypeId::of::<T>(), Box::new(part)));
    }

    /// Takes the part of a type away.
    pub fn take<T: TaskPart>(&mut self) -> Option<T> {
        let place = self.0.iter().position(|(kind, _)| *kind == TypeId::of::<T>())?;
        let part: Box<dyn Any> = self.0.swap_remove(place).1;
        part.downcast().ok().map(|part| *part)
    }

    /// Returns true if a part holds something that ends with the unit of work.
    pub(super) fn is_holding(&self) -> bool {
        self.0.iter().any(|(_, part)| part.is_holding())
    }

    /// Passes on that the task does not begin: true if the one who waits for it knows now.
    pub(crate) fn refused(&mut self) -> bool {
        self.0.iter_mut().fold(false, |known, (_, part)| part.refused() || known)
    }

    /// The task begins.
    pub(super) fn begins(&mut self, work: &mut UnitOfWork) {
        self.0.iter_mut().for_each(|(_, part)| part.begins(work));
    }

    /// The task has ended, with this storage of its programs.
    pub(crate) fn leave(&mut self, storage: &LeftStorage<'_>) {
        self.0.iter_mut().for_each(|(_, part)| part.leaves(storage));
    }

    /// The task has ended.
    pub(crate) fn task_ends(&mut self, abend: Option<AbendCode>, reason: Option<&str>) {
        self.0.iter_mut().for_each(|(_, part)| part.task_ends(abend, reason));
    }
}

impl EndsWithUnit for KeptParts {
    fn unit_ends(&mut self) -> UntilOver {
        self.0.iter_mut().filter_map(|(_, part)| part.unit_ends()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl TaskPart for u32 {}
    impl TaskPart for i8 {}

    impl TaskPart for String {
        fn unit_ends(&mut self) -> Option<Box<dyn Any + Send>> {
            Some(Box::new(std::mem::take(self)))
        }
    }

    #[test]
    fn a_part_is_found_by_its_type() {
        let mut kept = KeptParts::default();
        *kept.get_or_insert_with(|| 1u32) += 1;
        kept.get_or_insert_with(|| String::from("sockets"));
        assert_eq!(kept.part::<u32>(), &2);
        assert_eq!(kept.get::<String>().map(String::as_str), Some("sockets"));
        assert_eq!(kept.get_mut::<i8>(), None);
        kept.put(7u32);
        assert_eq!((kept.take::<u32>(), kept.take::<u32>()), (Some(7), None));
    }

    #[test]
    fn the_end_of_a_unit_of_work_reaches_every_part() {
        let mut kept = KeptParts::default();
        kept.get_or_insert_with(|| 1u32);
        kept.get_or_insert_with(|| String::from("files"));
        assert_eq!(kept.unit_ends().len(), 1);
        assert_eq!(kept.get::<String>().map(String::as_str), Some(""));
    }
}
